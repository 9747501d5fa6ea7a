package limitpruning.predicate

import org.scalatest.funsuite.AnyFunSuite

class ColumnFactsSuite extends AnyFunSuite {

  test("a constant is one value without nulls") {
    assert(ColumnFacts.constant(7) == ColumnFacts(Values.Finite(Seq(7)), Nulls.No))
  }

  test("a constant null is null in every row and never a value") {
    assert(ColumnFacts.constant(null) == ColumnFacts.AllNull)
    assert(ColumnFacts.AllNull.canBeNull && !ColumnFacts.AllNull.canBeValue)
  }

  test("nulls are excluded only where there are known to be none") {
    val range = Values.Range(1, 2)
    assert(!ColumnFacts(range, Nulls.No).canBeNull)
    assert(ColumnFacts(range, Nulls.Unknown).canBeNull)
    assert(ColumnFacts(range, Nulls.All).canBeNull)
  }

  test("nothing known excludes neither nulls nor values") {
    assert(ColumnFacts.Unknown.canBeNull && ColumnFacts.Unknown.canBeValue)
  }
}
