package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.MatchState._
import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.evaluator

/**
 * Errors that other engines had with floats, min/max statistics and expressions. The numbers are those of the
 * list of pitfalls.
 */
class EvaluatorPitfallsSuite extends AnyFunSuite {
  private val x = AttributeReference("x", DoubleType)()
  private val s = AttributeReference("s", StringType)()
  private val a = AttributeReference("a", IntegerType)()

  private def state(predicate: Expression, column: Attribute, min: Any, max: Any): MatchState =
    MatchState.of(evaluator(predicate, Seq(column)).outcomes(_ => ColumnFacts(Range(min, max), Nulls.No)))
  private def text(value: String): UTF8String = UTF8String.fromString(value)
  private def literal(value: String): Literal = Literal(text(value), StringType)

  test("line 10: with NaN above everything, >, >= and <> stay provable, <, <=, = and IN do not") {
    def over(predicate: Expression): MatchState = state(predicate, x, 1.0, Double.NaN)
    assert(over(GreaterThan(x, Literal(0.5))) == FullyMatching)
    assert(over(GreaterThanOrEqual(x, Literal(1.0))) == FullyMatching)
    assert(over(Not(EqualTo(x, Literal(0.5)))) == FullyMatching)
    for (p <- Seq(LessThan(x, Literal(9.0)), LessThanOrEqual(x, Literal(1.0)), EqualTo(x, Literal(1.0))))
      assert(over(p) == PartiallyMatching, p.sql)
    assert(over(In(x, Seq(Literal(1.0)))) == PartiallyMatching)
    assert(over(EqualTo(x, Literal(Double.NaN))) == PartiallyMatching)
    assert(over(Not(GreaterThan(x, Literal(Double.NaN)))) == FullyMatching)
  }

  test("line 11: NaN = NaN in Spark, so a range of only NaN is equal to NaN and above infinity") {
    assert(state(EqualTo(x, Literal(Double.NaN)), x, Double.NaN, Double.NaN) == FullyMatching)
    assert(state(GreaterThan(x, Literal(Double.PositiveInfinity)), x, Double.NaN, Double.NaN) ==
      FullyMatching)
  }

  test("line 12: -0.0 and 0.0 are equal, in lists too") {
    for ((min, max) <- Seq((-0.0, 0.0), (0.0, -0.0), (-0.0, -0.0))) {
      assert(state(EqualTo(x, Literal(0.0)), x, min, max) == FullyMatching)
      assert(state(LessThan(x, Literal(0.0)), x, min, max) == NotMatching)
      assert(state(In(x, Seq(Literal(0.0), Literal(7.0))), x, min, max) == FullyMatching)
      assert(state(Not(EqualTo(x, Literal(-0.0))), x, min, max) == NotMatching)
    }
  }

  test("line 14: neither min nor max needs to occur in the data") {
    assert(state(EqualTo(s, literal("Alp")), s, text("Alp"), text("Alq")) == PartiallyMatching)
    assert(state(In(s, Seq(literal("Alp"), literal("Alq"))), s, text("Alp"), text("Alq")) ==
      PartiallyMatching)
  }

  test("line 15: Alp … Alq does not prove LIKE 'Alpine%'") {
    assert(state(StartsWith(s, literal("Alpine")), s, text("Alp"), text("Alq")) == PartiallyMatching)
    assert(state(Not(StartsWith(s, literal("Alpine"))), s, text("Alp"), text("Alq")) == PartiallyMatching)
  }

  test("line 20: an unsupported conjunct is not proved, but does not hide a refuted one") {
    val unknown = EqualTo(Upper(s), literal("X"))
    def over(p: Expression): MatchState = {
      val facts = Seq(ColumnFacts(Range(5, 9), Nulls.No), ColumnFacts.Unknown)
      MatchState.of(evaluator(p, Seq(a, s)).outcomes(facts(_)))
    }
    assert(over(And(GreaterThan(a, Literal(1)), unknown)) == PartiallyMatching)
    assert(over(And(unknown, GreaterThan(a, Literal(1)))) == PartiallyMatching)
    assert(over(And(unknown, GreaterThan(a, Literal(9)))) == NotMatching)
    assert(over(Or(unknown, GreaterThan(a, Literal(1)))) == FullyMatching)
  }

  test("line 21: negating IN or LIKE does not negate the range around it") {
    assert(state(Not(In(a, Seq(Literal(1), Literal(9)))), a, 2, 8) == FullyMatching)
    assert(state(Not(In(a, Seq(Literal(1), Literal(9)))), a, 1, 9) == PartiallyMatching)
    assert(state(Not(StartsWith(s, literal("b"))), s, text("a"), text("c")) == PartiallyMatching)
  }

  test("line 22: expressions that are not deterministic are unknown in any form, with or without columns") {
    val random = GreaterThan(Rand(Literal(1L)), Literal(-1.0))
    val id = MonotonicallyIncreasingID()
    val predicates = Seq(
      random,
      Or(EqualTo(a, Literal(7)), random),
      And(EqualTo(a, Literal(7)), random),
      Not(random),
      IsNotNull(Rand(Literal(1L))),
      EqualTo(id, id),
      GreaterThanOrEqual(SparkPartitionID(), Literal(0)),
      LessThan(Murmur3Hash(Seq(Uuid(Some(1L))), 42), Literal(50)),
      LessThan(Substring(Uuid(Some(1L)), Literal(1), Literal(1)), literal("8"))
    )
    for (p <- predicates) assert(state(p, a, 7, 7) == PartiallyMatching, p.sql)
  }
}
