package limitpruning.select

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.FirstKey
import limitpruning.select.Selections.{file, listed}

class ChosenRowsSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val b = AttributeReference("b", IntegerType)()
  private val (one, two) = (EqualTo(a, Literal(1)), GreaterThan(b, Literal(2)))
  private val selection = Selection(Seq(file("f", 0 -> 10)))

  private def cover(conjuncts: Expression*): ChosenRows =
    ChosenRows(3, conjuncts, selection, SearchCounts(1, 1, 4, 3, 1), planningNanos = 5, allRowsMatch = true)

  test("is for the filters that were proved, in any order and any equal form") {
    assert(cover(one, two).isChosenFor(Seq(two, one)))
    assert(cover(one, two).isChosenFor(Seq(EqualTo(Literal(1), a), LessThan(Literal(2), b))))
    assert(cover().isChosenFor(Nil))
  }

  test("is not for more filters, or fewer, or others") {
    assert(!cover(one).isChosenFor(Seq(one, two)))
    assert(!cover(one, two).isChosenFor(Seq(one)))
    assert(!cover(one).isChosenFor(Seq(EqualTo(a, Literal(2)))))
    assert(!cover().isChosenFor(Seq(one)))
    assert(!cover(one).isChosenFor(Nil))
  }

  test("is not for filters over a column of the same name that is another one") {
    assert(!cover(one).isChosenFor(Seq(EqualTo(AttributeReference("a", IntegerType)(), Literal(1)))))
  }

  test("canonical forms differ only in the rows that are read") {
    val counts = SearchCounts(9, 9, 9, 9, 9)
    val other = ChosenRows(9, Nil, selection, counts, planningNanos = 1, allRowsMatch = true)
    assert(cover(one).canonicalized == other.canonicalized)
    assert(other.canonicalized != other.copy(allRowsMatch = false).canonicalized)
    val elsewhere = cover(one).copy(selection = Selection(Seq(file("f", 1 -> 10))))
    assert(cover(one).canonicalized != elsewhere.canonicalized)
  }

  test("if other rows may be read, the limit is a part of canonical forms where the rows depend on it") {
    val order = FirstKey.of(SortOrder(a, Ascending))
    val top = Some(TopRows("a", order, threshold = Some("7"), rowsCertain = 8, rowGroupsDropped = 9))
    val unseen = Selection(Nil, unseen = Seq(listed("g")))
    def areAlike(rows: ChosenRows) = rows.canonicalized == rows.copy(limit = 4).canonicalized
    val some = cover(one).copy(allRowsMatch = false)
    assert(areAlike(some) && areAlike(cover(one)) && areAlike(cover(one).copy(selection = unseen)))
    assert(!areAlike(some.copy(selection = unseen)) && !areAlike(some.copy(top = top)))
    val better = top.map(_.copy(key = "A", threshold = None, rowsCertain = 1, rowGroupsDropped = 2))
    assert(some.copy(top = top).canonicalized == some.copy(top = better).canonicalized)
    assert(some.copy(top = top).canonicalized != some.canonicalized)
  }
}
