package limitpruning.select

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class RowRangeSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private def rows(ranges: Seq[RowRange]): Seq[Long] = ranges.flatMap(range => range.from until range.until)

  private val ascending: Gen[Seq[RowRange]] = Gen.listOf(Gen.choose(0L, 60L)).map { bounds =>
    bounds.distinct.sorted.grouped(2).collect { case List(from, until) => RowRange(from, until) }.toSeq
  }

  test("the first rows of ranges are the first rows") {
    forAll(ascending, Gen.choose(0L, 80L), minSuccessful(500)) { (ranges, count) =>
      val taken = RowRange.take(ranges, count)
      assert(rows(taken) == rows(ranges).take(count.toInt))
      assert(taken.forall(_.rows > 0))
      assert(RowRange.rowsOf(ranges) == rows(ranges).size)
    }
  }

  test("ranges at the maximum of Long are cut without overflow") {
    val last = RowRange(Long.MaxValue - 9, Long.MaxValue)
    assert(RowRange.take(Seq(last), 100) == Seq(last))
    assert(RowRange.take(Seq(last), 2) == Seq(RowRange(Long.MaxValue - 9, Long.MaxValue - 7)))
  }

  test("adjacent ranges are merged, with the same rows") {
    assert(RowRange.joined(Seq(RowRange(0, 2), RowRange(2, 5), RowRange(6, 7))) ==
      Seq(RowRange(0, 5), RowRange(6, 7)))
    forAll(ascending) { ranges =>
      val single = rows(ranges).map(row => RowRange(row, row + 1))
      val joined = RowRange.joined(single)
      assert(rows(joined) == rows(ranges))
      assert(joined.zip(joined.drop(1)).forall { case (a, b) => a.until < b.from })
    }
  }

  test("a union has the rows of all ranges, once each") {
    forAll(ascending, ascending, ascending) { (a, b, c) =>
      val union = RowRange.union(c ++ a ++ b)
      assert(rows(union) == (rows(a) ++ rows(b) ++ rows(c)).distinct.sorted)
      assert(union.zip(union.drop(1)).forall { case (before, after) => before.until < after.from })
    }
  }
}
