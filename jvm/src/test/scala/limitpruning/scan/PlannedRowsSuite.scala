package limitpruning.scan

import java.io.Closeable
import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.RowRange
import limitpruning.testing.TempFolder

class PlannedRowsSuite extends AnyFunSuite with TempFolder {
  private lazy val file = Files.writeString(folder.resolve("the-file"), PlannedSplit.content())

  private def check: CheckUnchanged =
    new CheckUnchanged(PlannedSplit(status(file)), PlannedSplit.version(status(file)), new Configuration())

  private def batch(rows: Int): ColumnarBatch = new ColumnarBatch(Array.empty, rows)

  private def whole(rows: Long): PlannedRowGroup = PlannedRowGroup(0, rows, RowRange.all(rows), bytes = 100)

  private def read(elements: Any*)(planned: Long*): (PlannedRows, SQLMetric) = {
    val metric = new SQLMetric("sum")
    val rows =
      new PlannedRows(elements.iterator, "the-file", planned.map(whole), check, PlannedSplit.counts(metric))
    (rows, metric)
  }

  test("returns only the planned rows, one by one or in batches") {
    val (rows, _) = read("a", "b", "c")(1, 2)
    assert(rows.toSeq == Seq("a", "b", "c"))
    val batches = Seq(batch(2), batch(3))
    assert(read(batches: _*)(5)._1.toSeq == batches)
  }

  test("counts a row group when its first row is returned") {
    val (rows, begun) = read("a", "b", "c")(2, 1)
    val counts = for (_ <- 1 to 3) yield {
      assert(rows.hasNext)
      val _ = rows.next()
      begun.value
    }
    assert(counts == Seq(1, 1, 2))
  }

  test("counts row groups of several batches once, and in batches as in rows") {
    val (rows, begun) = read(batch(4), batch(4), batch(2), batch(5))(10, 5)
    val counts = rows.map(_ => begun.value).toSeq
    assert(counts == Seq(1, 1, 1, 2))
  }

  test("the bytes of a row group count with its first row, and only its selected rows are expected") {
    val bytes = new SQLMetric("size")
    val planned = Seq(PlannedRowGroup(0, 9, Seq(RowRange(1, 2), RowRange(5, 6)), bytes = 7), whole(1))
    val rows =
      new PlannedRows(Iterator("b", "f", "a"), "f", planned, check, PlannedSplit.counts(bytes = bytes))
    assert(rows.map(_ => bytes.value).toSeq == Seq(7, 7, 107))
  }

  test("nothing is counted before the first row is requested") {
    val (rows, begun) = read("a")(1)
    assert(rows.hasNext && begun.value == 0)
  }

  test("line 50: fewer rows than planned are an error at the end, which names the file and what to do") {
    val (rows, _) = read("a", "b")(3)
    val error = intercept[FileChangedException](rows.foreach(_ => ()))
    for (part <- Seq("the-file", "2 rows instead of 3", "REFRESH TABLE"))
      assert(error.getMessage.contains(part))
  }

  test("line 50: a file without rows is an error, too, and a file with more rows") {
    intercept[FileChangedException](read()(3)._1.hasNext)
    intercept[FileChangedException](read("a", "b")(1)._1.foreach(_ => ()))
    intercept[FileChangedException](read(batch(6))(2, 3)._1.foreach(_ => ()))
  }

  private def overwrite(): Unit = { val _ = Files.writeString(file, "other") }

  test("line 35: rows that may have been read after the file changed are not returned") {
    val (rows, _) = read("a", "b", "c")(2, 1)
    val before = Files.getLastModifiedTime(file)
    assert(rows.next() == "a")
    overwrite()
    assert(rows.next() == "b", "it has been read with the first")
    intercept[FileChangedException](rows.next())
    Files.writeString(file, PlannedSplit.content())
    val _ = Files.setLastModifiedTime(file, before)
  }

  test("line 35: an error of a changed file is FileChangedException, other errors do not change") {
    val broken = new Iterator[Any] {
      override def hasNext: Boolean = throw new java.io.IOException("no page here")
      override def next(): Any = "row"
    }
    val rows = new PlannedRows(broken, "f", Seq(whole(9)), check, PlannedSplit.counts())
    assert(intercept[java.io.IOException](rows.hasNext).getMessage == "no page here")
    overwrite()
    intercept[FileChangedException](rows.hasNext)
    Files.delete(file)
    intercept[java.io.FileNotFoundException](rows.hasNext)
    val _ = Files.writeString(file, PlannedSplit.content())
  }

  test("a reader that is not read to the end is closed without an error") {
    var closed = false
    val reader = new Iterator[Any] with Closeable {
      override def hasNext: Boolean = true
      override def next(): Any = "row"
      override def close(): Unit = closed = true
    }
    val rows = new PlannedRows(reader, "f", Seq(whole(9)), check, PlannedSplit.counts())
    assert(rows.next() == "row")
    rows.close()
    assert(closed)
  }
}
