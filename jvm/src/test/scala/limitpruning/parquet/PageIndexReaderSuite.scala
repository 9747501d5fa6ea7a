package limitpruning.parquet

import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.RowRange
import limitpruning.testing.{FooterEdit, PagedFile, TempFolder}

class PageIndexReaderSuite extends AnyFunSuite with TempFolder {
  private val conf = new Configuration(false)
  private val rows = (0 until 200).map(i => Seq[Any](i, s"name-${"x" * (i % 30)}"))
  private val plenty = 1L << 20

  private def file(name: String): Path =
    PagedFile.write(folder.resolve(name), "required int32 a; required binary s (STRING);", rows)

  private def footer(path: Path): Footer = new FooterReader(conf).read(status(path), FileColumns.All)

  private def reader(path: Path, maxBytes: Long = plenty): PageIndexReader =
    new PageIndexReader(status(path), footer(path), Storage(conf), maxBytes)

  test("returns the pages of each column that contain some rows") {
    val path = file("good")
    val indexes = reader(path)
    val chunks = footer(path).places(0)
    assert(chunks.forall(_.offsetIndex.nonEmpty) && indexes.hasColumnIndex(0, 1))
    assert(indexes.bytesRead == 0, "the footer tells")
    val pages = indexes.pagesOf(0, chunks, Seq(RowRange(40, 41))).get
    val (a, s) = (pages(Seq("a")), pages(Seq("s")))
    assert(a.pages == 1 && s.pages == 1)
    assert(a.total > 5 && s.total > 2 * a.total, "pages of the two do not line up")
    val all = indexes.pagesOf(0, chunks, RowRange.all(200)).get
    assert(all.view.mapValues(_.bytes).toMap == chunks.map(chunk => chunk.path -> chunk.length).toMap)
  }

  test("reads adjacent parts with one request, each part once, and counts the bytes") {
    val path = file("bytes")
    val indexes = reader(path)
    val chunks = footer(path).places(0)
    val due = chunks.flatMap(_.offsetIndex).map(_.length.toLong).sum
    for (_ <- 1 to 2) assert(indexes.pagesOf(0, chunks, RowRange.all(200)).nonEmpty)
    assert(indexes.locations(0, 0).nonEmpty && indexes.bytesRead == due)
    for (_ <- 1 to 2) assert(indexes.columnIndex(0, 0).exists(_.getNull_pages.size > 5))
    val columnIndex = footer(path).chunk(0, 0).get.getColumnIndexReference
    assert(indexes.bytesRead == due + columnIndex.getLength)
  }

  test("reads no more than the maximum number of bytes") {
    val path = file("bounded")
    val indexes = reader(path, maxBytes = 20)
    assert(indexes.pagesOf(0, footer(path).places(0), RowRange.all(200)).isEmpty &&
      indexes.columnIndex(0, 0).isEmpty)
    assert(indexes.bytesRead == 0)
  }

  test("returns none for an index that is absent, or whose location in the footer is wrong") {
    def none(name: String)(edit: org.apache.parquet.format.ColumnChunk => Any): Unit = {
      val path = FooterEdit(file(name))(raw => edit(raw.getRow_groups.get(0).getColumns.get(0)))
      val indexes = reader(path)
      val chunks = footer(path).places(0)
      assert(indexes.pagesOf(0, chunks.take(1), RowRange.all(200)).isEmpty, name)
      val _ = assert(indexes.pagesOf(0, chunks, RowRange.all(200)).isEmpty, name)
    }
    none("absent")(_.unsetOffset_index_offset())
    none("elsewhere")(_.setOffset_index_offset(4))
    none("beyond the end")(_.setOffset_index_offset(1L << 40))
    none("negative")(_.setOffset_index_offset(-4))
    none("cut")(chunk => chunk.setOffset_index_length(chunk.getOffset_index_length / 2))
    none("another column's")(chunk => chunk.setOffset_index_offset(chunk.getOffset_index_offset + 7))
  }

  test("a file that is gone has no pages") {
    val path = file("gone")
    val indexes = reader(path)
    val chunks = footer(path).places(0)
    Files.delete(path)
    assert(indexes.pagesOf(0, chunks, RowRange.all(200)).isEmpty)
  }
}
