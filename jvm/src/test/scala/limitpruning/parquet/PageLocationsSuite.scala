package limitpruning.parquet

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{OffsetIndex, PageLocation}
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.select.{RowRange, SelectedPages}
import limitpruning.testing.{RawChunk, RawFooter}

class PageLocationsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  /** A chunk of 100 bytes at offset 4, in a row group of 50 rows. */
  private val chunk =
    RawFooter("required int32 a;").rowGroup(50, RawChunk.silent).footer.places(0).head

  /** @param pages offset, compressed bytes and first row of each */
  private def locations(pages: (Long, Int, Long)*): Option[PageLocations] = {
    val raw = pages.map { case (offset, size, row) => new PageLocation(offset, size, row) }
    PageLocations.of(new OffsetIndex(raw.asJava), chunk, rows = 50)
  }

  private val good = Seq((10L, 20, 0L), (30L, 30, 10L), (60L, 44, 45L))

  test("a page ends where the next begins, the last with the row group") {
    val pages = locations(good: _*).get
    assert((0 to 2).map(i => (pages.first(i), pages.end(i), pages.rows(i))) ==
      Seq((0, 10, 10), (10, 45, 35), (45, 50, 5)))
    assert(Seq(0L, 9L, 10L, 44L, 45L, 49L).map(pages.pageOf) == Seq(0, 0, 1, 1, 2, 2))
  }

  test("ranges select the pages that contain their rows, and the bytes before the first page") {
    val pages = locations(good: _*).get
    assert(pages.select(Seq(RowRange(0, 10))) == SelectedPages(6 + 20, 1, 3))
    assert(pages.select(Seq(RowRange(9, 11))) == SelectedPages(6 + 50, 2, 3))
    assert(pages.select(Seq(RowRange(0, 1), RowRange(49, 50))) == SelectedPages(6 + 64, 2, 3))
    assert(pages.select(RowRange.all(50)) == SelectedPages(100, 3, 3))
  }

  test("line 50: returns none for an index that contradicts itself, its chunk or its row group") {
    val (first, second, last) = (good(0), good(1), good(2))
    assert(locations().isEmpty, "no page")
    assert(locations(first.copy(_3 = 1L), second, last).isEmpty, "the first page begins after row 0")
    assert(locations(first, second.copy(_3 = 0L), last).isEmpty, "a page without rows")
    assert(locations(first, second.copy(_3 = 46L), last).isEmpty, "rows that descend")
    assert(locations(first, second, last.copy(_3 = 50L)).isEmpty, "a page after the last row")
    assert(locations(first.copy(_1 = 3L), second, last).isEmpty, "a page before the chunk")
    assert(locations(first, second, last.copy(_2 = 45)).isEmpty, "a page that ends after the chunk")
    assert(locations(first.copy(_2 = 21), second, last).isEmpty, "pages that overlap")
    assert(locations(first.copy(_2 = 0), second, last).isEmpty, "a page without bytes")
    assert(locations(first.copy(_2 = -5), second, last).isEmpty, "a page of negative size")
    assert(locations(good: _*).nonEmpty)
  }

  test("line 84: returns none for pages with gaps, as of writers that leave out the sizes of page headers") {
    val (first, second, last) = (good(0), good(1), good(2))
    assert(locations(first.copy(_2 = 19), second, last).isEmpty, "a gap between pages")
    assert(locations(first, second, last.copy(_2 = 43)).isEmpty, "a gap at the end of the chunk")
  }

  /** The pages of a chunk, which begin with these rows. */
  private def pages(starts: Seq[Long]): PageLocations = {
    val sizes = starts.map(_ => 1) // bytes
    val ends = sizes.scanLeft(104 - sizes.sum)(_ + _)
    locations(starts.indices.map(i => (ends(i).toLong, sizes(i), starts(i))): _*).get
  }

  private val columns: Gen[Seq[PageLocations]] =
    Gen.listOf(Gen.listOf(Gen.choose(1L, 49L)).map(starts => pages((0L +: starts).distinct.sorted)))

  private val ranges: Gen[Seq[RowRange]] = Gen.nonEmptyListOf(Gen.choose(0L, 50L)).map { bounds =>
    bounds.distinct.sorted.grouped(2).collect { case List(from, until) => RowRange(from, until) }.toSeq
  }.suchThat(_.nonEmpty)

  test("whole pages contain the ranges, skip no row inside a page, and are the smallest such ranges") {
    forAll(columns, ranges, minSuccessful(500)) { (columns, ranges) =>
      val due = RowRange.joined(ranges)
      val found = WholePages.of(due, columns)
      val rows = found.flatMap(range => range.from until range.until).toSet
      assert(due.forall(range => (range.from until range.until).forall(rows)))
      assert(RowRange.joined(found) == found && found.last.until == due.last.until)
      // Row by row: a row must be read, too, if a page begins before it and a later row of this page is read.
      def more(read: Set[Long]): Set[Long] = {
        val end = due.last.until
        val all = read ++ columns.flatMap(pages =>
          read.flatMap { row =>
            val page = pages.pageOf(row)
            pages.first(page) until pages.end(page).min(end)
          }
        )
        if (all == read) read else more(all)
      }
      assert(rows == more(due.flatMap(range => range.from until range.until).toSet))
    }
  }
}
