package limitpruning.scan

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Row}
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.conf.LimitPruningConf
import limitpruning.select.{ProvedRows, RowRange}
import limitpruning.testing.{PagedFile, SparkSuite}

class ReadRowRangesSuite extends AnyFunSuite with SparkSuite with ScalaCheckPropertyChecks {

  test("this Spark's reader can read single rows") {
    assert(ReadRowRanges.isSupported && ReadRowRanges.problem.isEmpty)
  }

  test("ranges are converted to parquet-java's") {
    val ranges = Gen.nonEmptyListOf(Gen.choose(0L, 50L)).map { bounds =>
      bounds.distinct.sorted.grouped(2).collect { case List(from, until) => RowRange(from, until) }.toSeq
    }.suchThat(_.nonEmpty)
    forAll(ranges, Gen.choose(50L, 60L), minSuccessful(300)) { (ranges, rows) =>
      val found = ReadRowRanges.toRowRanges(PlannedRowGroup(rows, RowRange.joined(ranges), 1))
      assert(found.getRanges.asScala.map(r => RowRange(r.from, r.to + 1)) == RowRange.joined(ranges))
    }
  }

  test("rows of another reader do not change") {
    assert(!ReadRowRanges.narrow(Iterator("a"), Seq(PlannedRowGroup(9, Seq(RowRange(0, 1)), 1)), "f"))
  }

  /** The pages of `a`, `b` and `s` have different boundaries. Three row groups would be one file each. */
  private lazy val table: DataFrame = {
    for (file <- 0 to 2) PagedFile.write(
      pathOf(s"table/$file.parquet"),
      "optional int32 a; optional int32 b; optional binary s (STRING);",
      (0 until 1000).map(i => Seq(file * 1000 + i, if (i % 7 == 0) null else i, s"name-${"x" * (i % 50)}"))
    )
    spark.read.parquet(pathOf("table").toString)
  }

  private def isRight(row: Row): Boolean = {
    val i = row.getAs[Int]("a") % 1000
    row.getAs[String]("s") == s"name-${"x" * (i % 50)}" &&
    (if (i % 7 == 0) row.isNullAt(row.fieldIndex("b")) else row.getAs[Int]("b") == i)
  }

  for {
    vectorized <- Seq("true", "false")
    batch <- Seq("4096", "7")
  } test(s"only the chosen rows are read: vectorized $vectorized, batches of $batch") {
    withConf(
      LimitPruningConf.MinPageBytes.key -> "0",
      "spark.sql.parquet.enableVectorizedReader" -> vectorized,
      "spark.sql.parquet.columnarReaderBatchSize" -> batch
    ) {
      val cut = table.select("*", "_metadata.row_index").limit(1234)
      val rows = cut.collect()
      assert(rows.map(_.getInt(0)).toSeq == (0 until 1234))
      assert(rows.forall(row => isRight(row) && row.getAs[Long]("row_index") == row.getInt(0) % 1000))
      val middle = table.where("a > 1100 AND a < 1900").select("*", "_metadata.row_index").limit(500)
      val found = middle.collect()
      assert(found.length == 500 && found.forall(isRight))
      assert(found.forall(row => row.getInt(0) > 1100 && row.getInt(0) < 1900))
      assert(found.forall(row => row.getAs[Long]("row_index") == row.getInt(0) - 1000))
      val Seq(report) = reportsOf(middle): @unchecked
      assert(report.covered && report.rowsRead.contains(500L) && report.rowsCut.contains(500L))
      assert(report.bytesRead == report.bytesToRead)
      assert(report.pagesSkipped.exists(_ > 20) == (vectorized == "true"))
      assert(table.where("a > 1100 AND a < 1900").limit(500).count() == 500)
    }
  }

  test("line 35: a split with other row groups than planned is an error that names the file") {
    val Seq(narrowed) =
      withConf(LimitPruningConf.MinPageBytes.key -> "0")(scansOf(table.limit(10))): @unchecked
    val cover = narrowed.chosen match {
      case cover: ProvedRows => cover
      case other => fail(s"$other is not proved")
    }
    val files = cover.selection.files.map(f => f.copy(rowGroups = f.rowGroups.map(_.copy(rows = 999))))
    val lying = cover.copy(selection = cover.selection.copy(files = files))
    val message = intercept[FileChangedException](narrowed.copy(chosen = lying).executeCollect()).getMessage
    assert(message.contains("its row groups have 1000 rows instead of 999"))
    assert(message.contains("0.parquet"))
  }
}
