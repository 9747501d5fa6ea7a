package limitpruning.scan

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.SerializableConfiguration
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.FooterSeal
import limitpruning.select.{FileVersion, RowRange}
import limitpruning.testing.TempFolder

class ReadPlannedFileSuite extends AnyFunSuite with TempFolder {
  private val conf = new SerializableConfiguration(new org.apache.hadoop.conf.Configuration())

  /** What stands eight bytes before the end is the file's footer. */
  private def plan(path: Path, rowGroups: PlannedRowGroup*): Map[String, Any] = {
    val listed = status(path)
    val seal = FooterSeal.of(Files.readAllBytes(path).dropRight(8).takeRight(2))
    val version = FileVersion(listed.getLen, listed.getModificationTime, seal.length, seal.checksum)
    ReadPlannedFile.plan(PlannedRun(version, rowGroups))
  }

  private def planned(path: Path, rows: Long*): PartitionedFile = {
    val listed = status(path)
    PartitionedFile(
      InternalRow.empty,
      SparkPath.fromPath(listed.getPath),
      0,
      10,
      Array.empty[String],
      listed.getModificationTime,
      listed.getLen,
      plan(path, rows.map(n => PlannedRowGroup(n, RowRange.all(n), 1)): _*)
    )
  }

  private def read(reader: Reader, metric: SQLMetric = new SQLMetric("sum")): ReadPlannedFile =
    new ReadPlannedFile(reader, areProved = true, conf, metric, new SQLMetric("sum"))

  private def file(name: String, content: String): Path = Files.writeString(folder.resolve(name), content)

  /** Reads a row for each time that it is opened. */
  private class Reader extends (PartitionedFile => Iterator[InternalRow]) {
    var opened = 0
    override def apply(file: PartitionedFile): Iterator[InternalRow] = {
      opened += 1
      Iterator(InternalRow(opened))
    }
  }

  private def refuses(split: PartitionedFile, problem: String): Unit = {
    val reader = new Reader
    val error =
      intercept[FileChangedException](read(reader)(split))
    assert(error.getMessage.contains(split.urlEncodedPath))
    assert(error.getMessage.contains(problem))
    assert(error.getMessage.contains("REFRESH TABLE"))
    val _ = assert(reader.opened == 0, "it must not be read at all")
  }

  test("reads a file that is still the one that was planned, and its rows are checked") {
    val path = file("same", "0123456789")
    val metric = new SQLMetric("sum")
    val reader = new Reader
    val rows = read(reader, metric)(planned(path, 1))
    assert(rows.map(_.getInt(0)).toSeq == Seq(1) && metric.value == 1)
    intercept[FileChangedException](read(reader)(planned(path, 2)).foreach(_ => ()))
  }

  test("line 35: a file of another length is not read") {
    val path = file("longer", "0123456789")
    val split = planned(path, 1)
    Files.writeString(path, "0123456789+")
    refuses(split, "it has 11 bytes instead of 10")
  }

  test("line 35: a file that was replaced by one of the same length is not read") {
    val path = file("replaced", "0123456789")
    val split = planned(path, 1)
    touch(path, split.modificationTime + 1)
    refuses(split, "it was written to after it had been listed")
  }

  test("line 35: nor is one of the same length and time that has another footer") {
    val path = file("forged", "0123456789")
    val split = planned(path, 1)
    Files.writeString(path, "0923456789")
    touch(path, split.modificationTime)
    refuses(split, "it has another footer")
  }

  private def touch(path: Path, millis: Long): Unit = {
    val _ = Files.setLastModifiedTime(path, FileTime.fromMillis(millis))
  }

  test("line 35: a file that was deleted is Spark's own error") {
    val path = file("deleted", "0123456789")
    val split = planned(path, 1)
    Files.delete(path)
    intercept[java.io.FileNotFoundException](read(new Reader)(split))
  }

  test("what is planned travels with the split") {
    val split = planned(file("split", "0123456789"), 3, 4)
    assert(ReadPlannedFile.planned(split).map(_.rowGroups.map(_.rows)).contains(Seq(3, 4)))
  }

  test("where the reader cannot be told which rows to read, the others are left out") {
    val split = planned(file("rows", "0123456789"))
      .copy(otherConstantMetadataColumnValues =
        plan(folder.resolve("rows"), PlannedRowGroup(9, Seq(RowRange(2, 4)), 1))
      )
    val all = (_: PartitionedFile) => (0 to 8).iterator.map(i => InternalRow(i))
    val rows =
      new ReadPlannedFile(all, areProved = true, conf, new SQLMetric("sum"), new SQLMetric("sum"))(split)
    assert(rows.map(_.getInt(0)).toSeq == Seq(2, 3))
  }
}
