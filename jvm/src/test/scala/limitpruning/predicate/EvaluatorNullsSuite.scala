package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BooleanType, IntegerType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.MatchState._
import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.evaluator

/**
 * Errors that other engines had with nulls and three-valued logic. The numbers are those of the list of
 * pitfalls.
 */
class EvaluatorNullsSuite extends AnyFunSuite {
  private val c = AttributeReference("c", IntegerType)()
  private val d = AttributeReference("d", IntegerType)()
  private val flag = AttributeReference("flag", BooleanType)()
  private val nullInt = Literal(null, IntegerType)

  private val noNulls = ColumnFacts(Range(16, 20), Nulls.No)
  private val someNulls = ColumnFacts(Range(16, 20), Nulls.Unknown)
  private val onlyFive = ColumnFacts(Range(5, 5), Nulls.Unknown)
  private val allNull = ColumnFacts.AllNull

  private def state(predicate: Expression, cFacts: ColumnFacts, rest: ColumnFacts*): MatchState = {
    val facts = cFacts +: rest
    MatchState.of(evaluator(predicate, Seq(c, d, flag)).outcomes(facts(_)))
  }
  private def boolean(min: Boolean, max: Boolean, nulls: Nulls) = ColumnFacts(Range(min, max), nulls)

  test("line 1: c > 15 over 16 … 20 is proved only if there are no nulls") {
    assert(state(GreaterThan(c, Literal(15)), noNulls) == FullyMatching)
    assert(state(GreaterThan(c, Literal(15)), someNulls) == PartiallyMatching)
  }

  test("line 2: NOT (c < 5) over only nulls is not matching") {
    assert(state(Not(LessThan(c, Literal(5))), allNull) == NotMatching)
    assert(state(LessThan(c, Literal(5)), allNull) == NotMatching)
  }

  test("line 3: c <> 5 is not true of null") {
    assert(state(Not(EqualTo(c, Literal(5))), onlyFive) == NotMatching)
    assert(state(Not(EqualTo(c, Literal(5))), allNull) == NotMatching)
    assert(state(Not(EqualTo(c, Literal(5))), someNulls) == PartiallyMatching)
  }

  test("line 4: NULL in a list is true or null, and NOT IN is never true") {
    val list = Seq(Literal(16), nullInt)
    val one = ColumnFacts(Range(16, 16), Nulls.No)
    assert(state(In(c, list), one) == FullyMatching)
    assert(state(In(c, list), noNulls) == PartiallyMatching)
    for (facts <- Seq(one, noNulls, someNulls, allNull)) {
      assert(state(Not(In(c, list)), facts) == NotMatching)
      assert(state(Not(InSet(c, Set(16, null))), facts) == NotMatching)
    }
  }

  test("line 5: NOT (c <=> 5) is true of null") {
    val different = Not(EqualNullSafe(c, Literal(5)))
    assert(state(different, allNull) == FullyMatching)
    assert(state(different, someNulls) == FullyMatching)
    assert(state(different, onlyFive) == PartiallyMatching)
    assert(state(EqualNullSafe(c, nullInt), allNull) == FullyMatching)
  }

  test(
    "line 6: IS NULL is proved by nothing but nulls, IS NOT NULL by their absence, and unknown values by neither"
  ) {
    assert(state(IsNull(c), allNull) == FullyMatching)
    assert(state(IsNotNull(c), noNulls) == FullyMatching)
    assert(state(IsNull(c), noNulls) == NotMatching)
    assert(state(IsNotNull(c), allNull) == NotMatching)
    assert(state(IsNull(c), ColumnFacts.Unknown) == PartiallyMatching)
    assert(state(IsNotNull(c), ColumnFacts.Unknown) == PartiallyMatching)
    assert(state(IsNotNull(c), ColumnFacts(Values.Unknown, Nulls.No)) == FullyMatching)
  }

  test("line 7: predicates that accept nulls are provable") {
    assert(state(Or(IsNull(c), GreaterThan(c, Literal(15))), someNulls) == FullyMatching)
    assert(state(Or(IsNull(c), EqualTo(d, Literal(5))), someNulls, onlyFive.copy(nulls = Nulls.No)) ==
      FullyMatching)
    assert(state(EqualNullSafe(c, d), allNull, allNull) == FullyMatching)
  }

  test("line 8: a boolean column as the predicate, and its negation, with nulls") {
    def of(facts: ColumnFacts) =
      (state(flag, noNulls, noNulls, facts), state(Not(flag), noNulls, noNulls, facts))
    assert(of(boolean(true, true, Nulls.No)) == ((FullyMatching, NotMatching)))
    assert(of(boolean(false, false, Nulls.No)) == ((NotMatching, FullyMatching)))
    assert(of(boolean(false, true, Nulls.No)) == ((PartiallyMatching, PartiallyMatching)))
    assert(of(boolean(true, true, Nulls.Unknown)) == ((PartiallyMatching, NotMatching)))
    assert(of(boolean(false, false, Nulls.Unknown)) == ((NotMatching, PartiallyMatching)))
    assert(of(allNull) == ((NotMatching, NotMatching)))
  }

  test("line 9: true OR null is true, true AND null is not") {
    val (a, b) = (GreaterThan(c, Literal(1)), GreaterThan(d, Literal(1)))
    assert(state(Or(a, b), noNulls, allNull) == FullyMatching)
    assert(state(And(a, b), noNulls, allNull) == NotMatching)
    assert(state(And(a, b), noNulls, someNulls) == PartiallyMatching)
    assert(state(Not(And(a, b)), noNulls, allNull) == NotMatching)
  }
}
