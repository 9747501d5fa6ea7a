package limitpruning.search

import java.nio.file.Path

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.{Addressing, FileColumns, Footer, FooterReader, PageIndexReader, Storage}
import limitpruning.select.{MatchingRows, RowRange, SelectedRowGroup}
import limitpruning.testing.{FooterEdit, PagedFile, TempFolder}

class NarrowRowGroupsSuite extends AnyFunSuite with TempFolder {
  private val conf = new Configuration(false)

  private def file(name: String): Path = PagedFile.write(
    folder.resolve(name),
    "required int32 a; required binary s (STRING);",
    (0 until 200).map(i => Seq(i, s"name-$i"))
  )

  private def narrow(
      path: Path,
      ranges: Seq[RowRange],
      isWhole: Boolean,
      by: NarrowRowGroups = PagesFixture.everything
  ): Option[SelectedRowGroup] = {
    // The predicate is on neither column, on one of them, or on both. The pages are the same.
    val found = Seq(Seq("a", "s"), Seq("a"), Nil).map { proved =>
      val columns = FileColumns.named(proved, read = Seq("a", "s"))
      narrow(path, ranges, isWhole, by, new FooterReader(conf).read(status(path), columns))
    }
    assert(found.distinct.size == 1)
    found.head
  }

  private def narrow(
      path: Path,
      ranges: Seq[RowRange],
      isWhole: Boolean,
      by: NarrowRowGroups,
      footer: Footer
  ): Option[SelectedRowGroup] = {
    val indexes = new PageIndexReader(status(path), footer, Storage(conf), 1L << 20)
    by(
      footer,
      indexes,
      Addressing.of(footer, Seq(0)).get.head,
      MatchingRows(0, ranges, isWhole, reliesOnPages = false)
    )
  }

  private val few = Seq(RowRange(0, 3))

  test("reads the pages of the first rows of a fully matching row group, for every column") {
    val selected = narrow(file("cut"), few, isWhole = true).get
    val columns = selected.columns.iterator.map(_._2).toSeq
    assert(selected.ranges == few && selected.rows == 200 && columns.size == 2)
    assert(columns.forall(_.pages.exists(pages => pages.pages == 1 && pages.total > 5)))
    assert(columns.forall(column => column.bytesToRead < column.bytes / 5))
  }

  test("selects no pages of columns that the scan does not need") {
    val onlyA = new NarrowRowGroups(_ == "a", isSupported = true, minBytes = 0)
    val selected = narrow(file("column"), few, isWhole = true, onlyA).get
    assert(selected.columns.pages.keySet == Set(Seq("a")))
  }

  test("reads all of a fully matching row group if that is no worse") {
    def isWhole(by: NarrowRowGroups, path: Path = file("whole"), ranges: Seq[RowRange] = few): Boolean =
      narrow(path, ranges, isWhole = true, by).exists(_.isWhole)
    assert(isWhole(new NarrowRowGroups(_ => true, isSupported = true, minBytes = 1L << 20)), "it is small")
    assert(isWhole(new NarrowRowGroups(_ => true, isSupported = false, minBytes = 0)), "not supported")
    assert(
      isWhole(PagesFixture.everything, ranges = Seq(RowRange(0, 199))),
      "all pages contain selected rows"
    )
    assert(isWhole(PagesFixture.everything, ranges = RowRange.all(200)), "all rows are selected")
    assert(isWhole(PagesFixture.everything, path = withoutPages("no index")), "there is no index")
  }

  test("rows of a partially matching row group are read without others, or not at all") {
    assert(narrow(file("part"), few, isWhole = false, PagesFixture.everything).exists(_.ranges == few))
    val small = new NarrowRowGroups(_ => true, isSupported = true, minBytes = 1L << 20)
    assert(narrow(file("part"), few, isWhole = false, small).exists(_.ranges == few), "even if it is small")
    assert(narrow(withoutPages("part"), few, isWhole = false).isEmpty)
    val unsupported = new NarrowRowGroups(_ => true, isSupported = false, minBytes = 0)
    assert(narrow(file("part"), few, isWhole = false, unsupported).isEmpty)
  }

  private def withoutPages(name: String): Path = FooterEdit(file(name)) { raw =>
    raw.getRow_groups.get(0).getColumns.get(1).unsetOffset_index_offset()
  }
}
