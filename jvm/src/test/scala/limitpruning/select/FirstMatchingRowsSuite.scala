package limitpruning.select

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class FirstMatchingRowsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def cover(limit: Long)(files: (String, Seq[MatchingRows])*): FirstMatchingRows[String] = {
    val cover = new FirstMatchingRows[String](limit)
    files.foreach { case (file, matching) => cover.add(file, matching) }
    cover
  }

  private def whole(ordinal: Int, rows: Long): MatchingRows =
    MatchingRows(ordinal, RowRange.all(rows), isWhole = true, reliesOnPages = false)

  private def part(ordinal: Int, ranges: (Long, Long)*): MatchingRows =
    MatchingRows(
      ordinal,
      ranges.map { case (from, until) => RowRange(from, until) },
      isWhole = false,
      reliesOnPages = false
    )

  test("takes matching rows in order up to the limit, and no more") {
    val found =
      cover(7)("a" -> Seq(whole(0, 2), part(3, (4, 5), (8, 10))), "b" -> Nil, "c" -> Seq(whole(1, 9)))
    assert(found.chosen ==
      (Seq(
        "a" -> Seq(whole(0, 2), part(3, (4, 5), (8, 10))),
        "c" -> Seq(whole(1, 9).copy(ranges = Seq(RowRange(0, 2))))
      )))
    assert(found.rows == 7)
  }

  test("cuts the last row group to the rows still needed, in the middle of a range") {
    val found = cover(4)("a" -> Seq(part(0, (10, 12), (20, 30), (40, 50)), whole(1, 5)))
    assert(found.chosen == (Seq("a" -> Seq(part(0, (10, 12), (20, 22))))))
  }

  test("is not covered by one row too few, and returns their number") {
    val found = cover(6)("a" -> Seq(whole(0, 5)))
    assert(!found.isComplete)
    assert(found.rows == 5)
  }

  test("files after the limit was covered change nothing") {
    val found = cover(3)("a" -> Seq(whole(0, 3)), "b" -> Seq(whole(0, 3)))
    assert(found.chosen == (Seq("a" -> Seq(whole(0, 3)))))
  }

  test("line 19: row counts beyond an Int add up, and those beyond a Long do not turn negative") {
    val beyondInt = cover(3L * Int.MaxValue)("a" -> Seq.tabulate(3)(whole(_, Int.MaxValue.toLong)))
    assert(beyondInt.isComplete && beyondInt.rows == 3L * Int.MaxValue)
    val beyondLong = cover(Long.MaxValue)("a" -> Seq(whole(0, 1), whole(1, Long.MaxValue)))
    assert(beyondLong.isComplete && beyondLong.rows == Long.MaxValue)
  }

  test("an OFFSET leaves out the row groups with only rows that it skips, up to the first one with others") {
    val found = cover(20)("a" -> Seq(whole(0, 3), part(2, (1, 3))), "b" -> Seq(whole(0, 4), whole(1, 30)))
    def after(offset: Long) = found.withoutFirst(offset, dropsRows = false)
    assert(after(2) == FirstMatchingRows.Rest(found.chosen, SkippedRows.Zero))
    val second = Seq("a" -> Seq(part(2, (1, 3))), found.chosen.last)
    for (offset <- Seq(3L, 4L)) assert(after(offset) == FirstMatchingRows.Rest(second, SkippedRows(3, 1)))
    assert(after(5) == FirstMatchingRows.Rest(found.chosen.tail, SkippedRows(5, 2)))
    val last = Seq("b" -> Seq(whole(1, 30).copy(ranges = Seq(RowRange(0, 11)))))
    for (offset <- Seq(9L, 19L)) assert(after(offset) == FirstMatchingRows.Rest(last, SkippedRows(9, 3)))
  }

  test("an OFFSET leaves out rows of a row group if the scan can drop them") {
    val found = cover(20)("a" -> Seq(whole(0, 3), part(2, (1, 3), (7, 9))), "b" -> Seq(whole(0, 30)))
    def first(offset: Long) = {
      val after = found.withoutFirst(offset, dropsRows = true)
      assert(after.skipped.rows == offset && after.chosen.flatMap(_._2).map(_.rows).sum == 20 - offset)
      (after.skipped.rowGroups, after.chosen.head._2.head)
    }
    assert(first(0) == ((0, whole(0, 3))))
    assert(first(2) == ((0, whole(0, 3).copy(ranges = Seq(RowRange(2, 3)), areAlone = true))))
    assert(first(3) == ((1, part(2, (1, 3), (7, 9)))))
    assert(first(6) == ((1, part(2, (8, 9)).copy(areAlone = true))))
    assert(first(19) == ((2, whole(0, 30).copy(ranges = Seq(RowRange(12, 13)), areAlone = true))))
  }

  test("an OFFSET leaves out whole files if rows of one were deleted, and counts the others") {
    val found = cover(20)("a" -> Seq(whole(0, 3), whole(1, 2)))
    found.addAll("b", Seq(whole(0, 10), whole(1, 10)), certain = 6)
    found.addAll("c", Seq(whole(0, 90)), certain = 50)
    def after(offset: Long) = found.withoutFirst(offset, dropsRows = true)
    assert(after(4) == FirstMatchingRows.Rest(found.chosen, SkippedRows.Zero))
    for (offset <- Seq(5L, 10L))
      assert(after(offset) == FirstMatchingRows.Rest(found.chosen.tail, SkippedRows(5, 2)))
    for (offset <- Seq(11L, 19L))
      assert(after(offset) == FirstMatchingRows.Rest(found.chosen.drop(2), SkippedRows(11, 4)))
  }

  private val ranges = Gen.listOf(Gen.choose(0L, 40L)).map { bounds =>
    bounds.distinct.sorted.grouped(2).collect { case List(from, until) => (from, until) }.toSeq
  }
  private val tables = Gen.listOf(Gen.listOf(ranges.map(_.take(4)).suchThat(_.nonEmpty)))

  test("the selection is the first rows in order, exactly as many as the limit") {
    forAll(tables, Gen.choose(1L, 60L), minSuccessful(500)) { (files, limit) =>
      val named = files.zipWithIndex.map { case (rowGroups, file) =>
        file.toString -> rowGroups.zipWithIndex.map { case (ranges, i) => part(i, ranges: _*) }
      }
      def rows(of: Seq[(String, Seq[MatchingRows])]): Seq[(String, Int, Long)] =
        for ((file, matching) <- of; m <- matching; range <- m.ranges; row <- range.from until range.until)
          yield (file, m.ordinal, row)
      val all = rows(named)
      val found = cover(limit)(named: _*)
      assert(rows(found.chosen) == all.take(limit.toInt) && found.isComplete == (all.size >= limit))
    }
  }
}
