package limitpruning.scan

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.{FilePartition, FileScanRDD}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{ParquetFixture, SparkSuite}

class SelectionReadSuite extends AnyFunSuite with SparkSuite {

  /** Two files of four row groups of five rows; a is 0 … 39. */
  private lazy val table = tableOf(
    "table",
    (0 to 1).map { file =>
      val empty = ParquetFixture("optional int32 a; optional int32 b;")
      s"$file.parquet" -> (0 to 3).foldLeft(empty) { (fixture, group) =>
        fixture.rowGroup((0 to 4).map(i => Seq(file * 20 + group * 5 + i, 0)): _*)
      }
    }: _*
  )

  private def tasks(df: DataFrame, inOneTask: Boolean = false): Seq[FilePartition] = {
    val scan = scansOf(df).head
    val read = new SelectionRead(scan.scan, scan.chosen, scan.settings)
    read.rdd(scan.metrics, skip = None, whileReading = None, inOneTask) match {
      case rdd: FileScanRDD => rdd.filePartitions
      case other => fail(s"$other is not Spark's own")
    }
  }

  test("adjacent row groups are one range of bytes, from the midpoint of the first to that of the last") {
    val query = table.where("a >= 5").limit(10)
    val Seq(task) = tasks(query): @unchecked
    val Array(split) = task.files: @unchecked
    val Seq(file) = scansOf(query).head.chosen.selection.files: @unchecked
    assert(split.start == file.rowGroups.head.start)
    assert(split.start + split.length == file.rowGroups.last.start + 1)
    assert(FileOpener.planned(split).get.rowGroups.map(_.rows) == Seq(5, 5))
  }

  test("row groups that are not adjacent are one split, because the reader passes over the others") {
    val query = table.where("a < 5 OR (a >= 10 AND a < 15)").limit(10)
    val Seq(task) = tasks(query): @unchecked
    assert(task.files.map(FileOpener.planned(_).get.rowGroups.map(_.ordinal)).toSeq == Seq(Seq(0, 2)))
    assert(query.select("a").collect().map(_.getInt(0)).toSeq == (0 until 5) ++ (10 until 15))
  }

  test("row groups that are not adjacent are separate splits of the row-based reader") {
    withConf("spark.sql.parquet.enableVectorizedReader" -> "false") {
      val query = table.where("a < 5 OR (a >= 10 AND a < 15)").limit(10)
      val Seq(task) = tasks(query): @unchecked
      assert(task.files.map(FileOpener.planned(_).get.rowGroups.map(_.ordinal)).toSeq ==
        Seq(Seq(0), Seq(2)))
      assert(query.select("a").collect().map(_.getInt(0)).toSeq == (0 until 5) ++ (10 until 15))
    }
  }

  test("a split has the length and modification time of the file that was planned") {
    val query = table.where("a >= 20").limit(1)
    val Seq(task) = tasks(query): @unchecked
    val file = scansOf(query).head.chosen.selection.files.head
    assert(task.files.map(s => (s.fileSize, s.modificationTime)).toSeq ==
      Seq((file.listed.length, file.listed.status.getModificationTime)))
    assert(task.files.head.filePath.toString.endsWith("1.parquet"))
  }

  test("a small selection is one task") {
    assert(tasks(table.limit(40)).map(_.files.length) == Seq(2))
  }

  test("a selection larger than the maximum of a partition is several tasks, in order") {
    withConf("spark.sql.files.maxPartitionBytes" -> "1", "spark.sql.files.openCostInBytes" -> "0") {
      val several = tasks(table.limit(40))
      assert(several.size == 8 && several.map(_.index) == (0 to 7))
      assert(!scansOf(table.limit(40)).head.isOneTask)
      assert(table.limit(40).select("a").collect().map(_.getInt(0)).sorted.toSeq == (0 to 39))
    }
  }

  test("a scan that was planned as one task is one task, even if the settings have changed") {
    withConf("spark.sql.files.maxPartitionBytes" -> "1", "spark.sql.files.openCostInBytes" -> "0") {
      val Seq(task) = tasks(table.limit(40), inOneTask = true): @unchecked
      assert(task.files.map(FileOpener.planned(_).get.rowGroups.map(_.rows).sum).sum == 40)
    }
  }

  test("bytes are those of the columns that are read") {
    def bytes(df: DataFrame): Long =
      new SelectionRead(scansOf(df).head.scan, scansOf(df).head.chosen, scansOf(df).head.settings).bytes
    assert(bytes(table.select("a").limit(5)) > 0)
    assert(bytes(table.limit(5)) == bytes(table.select("a").limit(5)) + bytes(table.select("b").limit(5)))
  }
}
