package limitpruning.predicate

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.{Finite, Range}

class FactOutcomesSuite extends AnyFunSuite {
  private val unknown = ColumnFacts.Unknown
  private def known(values: Values) = ColumnFacts(values, Nulls.No)

  test("line 6: IS NULL is decided by nulls alone, never by missing min and max") {
    assert(FactOutcomes.isNull(unknown) == Outcomes.TrueOrFalse)
    assert(FactOutcomes.isNull(known(Values.Unknown)) == Outcomes.False)
    assert(FactOutcomes.isNull(ColumnFacts.AllNull) == Outcomes.True)
  }

  test("line 8: a boolean is its own outcome, and null is null") {
    assert(FactOutcomes.isTrue(known(Range(true, true))) == Outcomes.True)
    assert(FactOutcomes.isTrue(known(Range(false, true))) == Outcomes.TrueOrFalse)
    assert(FactOutcomes.isTrue(known(Finite(Seq(false)))) == Outcomes.False)
    assert(FactOutcomes.isTrue(ColumnFacts(Range(true, true), Nulls.Unknown)).canBeNull)
    assert(FactOutcomes.isTrue(ColumnFacts.AllNull) == Outcomes.Null)
    assert(FactOutcomes.isTrue(unknown) == Outcomes.Any)
  }
}
