package limitpruning.scan

import java.io.Closeable
import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.SerializableConfiguration
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.RowRange
import limitpruning.testing.TempFolder

class FileOpenerSuite extends AnyFunSuite with TempFolder {

  private val conf = new Broadcast[SerializableConfiguration](0) {
    override protected def getValue(): SerializableConfiguration =
      new SerializableConfiguration(new Configuration())
    override protected def doUnpersist(blocking: Boolean): Unit = ()
    override protected def doDestroy(blocking: Boolean): Unit = ()
  }

  private def planned(path: Path, rows: Long*): PartitionedFile =
    PlannedSplit(
      status(path),
      rows.zipWithIndex.map { case (n, i) => PlannedRowGroup(i, n, RowRange.all(n), 1) }: _*
    )

  private def read(reader: Reader, metric: SQLMetric = new SQLMetric("sum")): FileOpener =
    new FileOpener(reader, allRowsMatch = true, conf, PlannedSplit.counts(rowGroups = metric))

  private def file(name: String, content: String): Path = Files.writeString(folder.resolve(name), content)

  /** Returns one row for each time that the file has been opened. */
  private class Reader(whileOpening: => Unit = ()) extends (PartitionedFile => Iterator[InternalRow]) {
    var opened, closed, begun = 0
    override def apply(file: PartitionedFile): Iterator[InternalRow] = {
      opened += 1
      whileOpening
      new Iterator[InternalRow] with Closeable {
        private val rows = Iterator(InternalRow(opened))
        override def hasNext: Boolean = rows.hasNext
        override def next(): InternalRow = { begun += 1; rows.next() }
        override def close(): Unit = closed += 1
      }
    }
  }

  private def refuses(split: PartitionedFile, problem: String, reader: Reader = new Reader): Unit = {
    val error = intercept[FileChangedException](read(reader)(split))
    assert(error.getMessage.contains(split.urlEncodedPath))
    assert(error.getMessage.contains(problem))
    assert(error.getMessage.contains("REFRESH TABLE"))
    assert(reader.begun == 0, "no row of it may be read")
    val _ = assert(reader.closed == reader.opened, "what was opened must be closed")
  }

  test("reads a file that has not changed, and checks its rows") {
    val path = file("same", PlannedSplit.content())
    val metric = new SQLMetric("sum")
    val reader = new Reader
    val rows = read(reader, metric)(planned(path, 1))
    assert(rows.map(_.getInt(0)).toSeq == Seq(1) && metric.value == 1)
    intercept[FileChangedException](read(reader)(planned(path, 2)).foreach(_ => ()))
  }

  test("line 35: a file of another length is not read") {
    val path = file("longer", PlannedSplit.content())
    val split = planned(path, 1)
    Files.writeString(path, PlannedSplit.content() + "+")
    refuses(split, "it has 11 bytes instead of 10")
  }

  test("a file with another time is the same: times in listings and in file statuses differ") {
    val path = file("touched", PlannedSplit.content())
    val split = planned(path, 1)
    touch(path, split.modificationTime / 1000 * 1000 - 1000)
    assert(read(new Reader)(split).size == 1)
  }

  test("line 35: a file of the same length and time with another footer is not read") {
    val path = file("forged", PlannedSplit.content())
    val split = planned(path, 1)
    Files.writeString(path, PlannedSplit.content("09"))
    touch(path, split.modificationTime)
    refuses(split, "its footer is different")
  }

  private def touch(path: Path, millis: Long): Unit = {
    val _ = Files.setLastModifiedTime(path, FileTime.fromMillis(millis))
  }

  test("line 35: a file that is replaced while it is opened is not read") {
    val path = file("last-moment", PlannedSplit.content())
    val split = planned(path, 1)
    val replaced = new Reader({ val _ = Files.writeString(path, "other") })
    refuses(split, "it has 5 bytes instead of 10", replaced)
  }

  test("line 35: an error of a changed file is FileChangedException, other errors do not change") {
    def broken: Nothing = throw new java.io.IOException("no footer")
    val path = file("broken", PlannedSplit.content())
    val split = planned(path, 1)
    assert(intercept[java.io.IOException](read(new Reader(broken))(split)).getMessage == "no footer")
    Files.writeString(path, "01234")
    val error = intercept[FileChangedException](read(new Reader(broken))(split))
    assert(error.getMessage.contains("it has 5 bytes instead of 10"))
  }

  test("line 35: a file that was deleted is Spark's own error") {
    val path = file("deleted", PlannedSplit.content())
    val split = planned(path, 1)
    Files.delete(path)
    intercept[java.io.FileNotFoundException](read(new Reader)(split))
  }

  test("the planned row groups are sent with the split") {
    val split = planned(file("split", PlannedSplit.content()), 3, 4)
    assert(FileOpener.planned(split).map(_.rowGroups.map(_.rows)).contains(Seq(3, 4)))
  }

  test("if the reader cannot read single rows, the other rows are skipped") {
    val some = PlannedRowGroup(0, 9, Seq(RowRange(2, 4)), 1)
    val split = PlannedSplit(status(file("rows", PlannedSplit.content())), some)
    val all = (_: PartitionedFile) => (0 to 8).iterator.map(i => InternalRow(i))
    val rows =
      new FileOpener(all, allRowsMatch = true, conf, PlannedSplit.counts())(split)
    assert(rows.map(_.getInt(0)).toSeq == Seq(2, 3))
  }
}
