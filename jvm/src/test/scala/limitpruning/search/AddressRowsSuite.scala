package limitpruning.search

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.{GreaterThanOrEqual, LessThan, Literal}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.FooterReader
import limitpruning.search.PagesFixture._
import limitpruning.select.{MatchingRows, Reason, RowRange}
import limitpruning.testing.{FooterEdit, PagedFile, TempFolder}

class AddressRowsSuite extends AnyFunSuite with TempFolder {
  private val path = PagedFile.write(
    folder.resolve("f.parquet"),
    "optional int32 a; optional int32 b;",
    (0 until 500).map(i => Seq(i, 0))
  )
  private val narrow = everything

  test("a selection of pages has the file's length, footer and page index") {
    val file = refined(status(path))(LessThan(a, Literal(300)))
    val Right(selection) = select(narrow)(Seq(file -> file.matching)): @unchecked
    val Seq(selected) = selection.files: @unchecked
    assert((selected.path, selected.version.length) == ((status(path).getPath.toString, status(path).getLen)))
    val version = selected.version
    assert(version.parts.nonEmpty && version.footerLength > 0)
    assert(new FooterReader(new Configuration()).firstChange(status(path), version).isEmpty)
    val forged = version.copy(parts = version.parts.map(part => part.copy(checksum = part.checksum + 1)))
    assert(new FooterReader(new Configuration()).firstChange(
      status(path),
      forged
    ).exists(_.contains("its bytes at offset")))
    assert(selection.rows == file.matching.map(_.rows).sum && selection.rowRanges == 1)
    assert(selection.bytes < selected.rowGroups.head.columns.lengths.sum)
  }

  test("if pages cannot be read, whole row groups are selected, but row ranges are not") {
    val broken = FooterEdit(PagedFile.write(
      folder.resolve("broken.parquet"),
      "optional int32 a; optional int32 b;",
      (0 until 500).map(i => Seq(i, 0))
    )) { raw =>
      val chunk = raw.getRow_groups.get(0).getColumns.get(1)
      chunk.setOffset_index_length(chunk.getOffset_index_length - 5)
    }
    val (_, file) = classified(status(broken))
    val part = MatchingRows(0, Seq(RowRange(3, 9)), isWhole = false, reliesOnPages = false)
    val reason = select(narrow)(Seq(file -> Seq(part)))
    assert(reason == Left(Reason.UnreadablePages(status(broken).getPath.toString)))
    val Right(selection) = select(narrow)(Seq(file -> Seq(part.copy(isWhole = true)))): @unchecked
    assert(selection.rows == 500 && selection.rowsCut == 0)
  }

  test("rows rely on the page index only if it decided their row group") {
    def relies(value: Int): Seq[Boolean] = {
      val file = refined(status(path))(GreaterThanOrEqual(a, Literal(value)))
      val first = file.matching.map(rows => rows.copy(ranges = RowRange.take(rows.ranges, 5)))
      val Right(selection) = select(narrow)(Seq(file -> first)): @unchecked
      assert(selection.rowsCut == 495)
      selection.files.flatMap(_.rowGroups).map(_.reliesOnPages)
    }
    assert(relies(0) == Seq(false), "min and max of the chunk are enough")
    assert(relies(250) == Seq(true))
  }
}
