package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.{Finite, Range}
import limitpruning.testing.Evaluators.column

class FiniteEvaluationSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val b = AttributeReference("b", IntegerType)()
  private val text = AttributeReference("text", StringType)()
  private val number = AttributeReference("number", DoubleType)()
  private val columns = Seq(a, b, text, number).map(column).map(_.id).zipWithIndex.toMap

  private def results(e: Expression)(facts: ColumnFacts*): Option[Set[Any]] =
    FiniteEvaluation.of(e, columns).flatMap(_.results(facts(_)))

  private def values(all: Any*): ColumnFacts = ColumnFacts(Finite(all), Nulls.No)
  private def string(value: String): UTF8String = UTF8String.fromString(value)

  test("any deterministic function is evaluated for each value") {
    val words = values(string("OK"), string("ok"))
    val unused = ColumnFacts.Unknown
    assert(results(Upper(text))(unused, unused, words).contains(Set(string("OK"))))
    assert(results(Length(text))(
      unused,
      unused,
      words.copy(nulls = Nulls.Unknown)
    ).contains(Set[Any](2, null)))
  }

  test("columns are combined, even if only some combinations occur in the rows") {
    assert(results(Add(a, b))(values(1, 2), values(10, 20)).contains(Set(11, 12, 21, 22)))
    assert(results(Subtract(a, a))(values(1, 2)).contains(Set(0)), "one column has one value at a time")
  }

  test("short ranges of integers are enumerated, long ones and floats are not") {
    def over(min: Any, max: Any) = ColumnFacts(Range(min, max), Nulls.No)
    assert(results(Pmod(a, Literal(3)))(over(3, 5)).contains(Set(0, 1, 2)))
    assert(results(Pmod(a, Literal(3)))(over(0, 64)).isEmpty)
    assert(results(Pmod(a, Literal(3)))(over(Int.MinValue, Int.MaxValue)).isEmpty)
    val unused = ColumnFacts.Unknown
    assert(
      results(Cast(number, LongType))(unused, unused, unused, over(0.0, 0.0)).isEmpty,
      "-0.0 may be there, too"
    )
  }

  test("line 24: an evaluation that throws proves nothing") {
    assert(results(Divide(Literal(1.0), Cast(a, DoubleType)))(values(0, 1)).isEmpty)
    assert(results(Cast(text, IntegerType))(values(), values(), values(string("x"))).isEmpty)
  }

  test("an expression with too many combinations is not evaluated") {
    val many = values((1 to 40): _*)
    assert(results(Add(a, b))(many, many).isEmpty)
    val fewer = values((1 to 32): _*)
    assert(results(Add(a, b))(fewer, fewer).map(_.size).contains(63))
    assert(results(Add(a, a))(many).nonEmpty)
  }

  test("lines 22, 23: expressions that are not deterministic or user-defined are not evaluated") {
    val udf = ScalaUDF((value: Any) => value, IntegerType, Seq(a), udfName = Some("f"))
    for (e <- Seq(Rand(Literal(1L)), Add(Cast(a, DoubleType), Rand(Literal(1L))), udf, Add(udf, a)))
      assert(FiniteEvaluation.of(e, columns).isEmpty, e)
    assert(FiniteEvaluation.obstacle(Add(udf, a)).contains("f(a)"))
  }

  test("an expression over a column without facts is not evaluated") {
    assert(FiniteEvaluation.of(AttributeReference("other", IntegerType)(), columns).isEmpty)
    assert(FiniteEvaluation.of(Literal.TrueLiteral, columns).isEmpty, "nor one without columns")
    assert(results(Upper(text))(values(), values(), ColumnFacts.Unknown).isEmpty)
  }

  test("evaluation narrows rules, unless they contradict it or nothing is known") {
    val isEven = FiniteEvaluation.of(EqualTo(Pmod(a, Literal(2)), Literal(0)), columns).get
    def narrowed(byRules: Outcomes, facts: ColumnFacts): Outcomes = isEven.narrow(_ => byRules)(_ => facts)
    assert(narrowed(Outcomes.TrueOrFalse, values(2, 4)) == Outcomes.True)
    assert(narrowed(Outcomes.TrueOrFalse, ColumnFacts.Unknown) == Outcomes.TrueOrFalse)
    assert(narrowed(Outcomes.False, values(2, 4)) == Outcomes.False, "nothing is left to be narrowed")
    assert(narrowed(Outcomes.NotTrue, values(2, 4)) == Outcomes.Any, "a contradiction proves nothing")
  }
}
