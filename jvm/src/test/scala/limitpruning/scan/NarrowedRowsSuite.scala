package limitpruning.scan

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.format.{PageLocation, Util}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.{DataFrame, Row}
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.conf.LimitPruningConf
import limitpruning.parquet.VectorizedReader
import limitpruning.select.RowRange
import limitpruning.testing.{FooterEdit, PagedFile, SparkSuite}

class NarrowedRowsSuite extends AnyFunSuite with SparkSuite with ScalaCheckPropertyChecks {

  test("this Spark's reader can read single rows") {
    assert(VectorizedReader.isSupported && VectorizedReader.problem.isEmpty)
  }

  test("ranges are converted to parquet-java's") {
    val ranges = Gen.nonEmptyListOf(Gen.choose(0L, 50L)).map { bounds =>
      bounds.distinct.sorted.grouped(2).collect { case List(from, until) => RowRange(from, until) }.toSeq
    }.suchThat(_.nonEmpty)
    forAll(ranges, Gen.choose(50L, 60L), minSuccessful(300)) { (ranges, rows) =>
      val found = VectorizedReader.toRowRanges(rows, RowRange.joined(ranges))
      assert(found.getRanges.asScala.map(r => RowRange(r.from, r.to + 1)) == RowRange.joined(ranges))
    }
  }

  test("rows of another reader are not narrowed") {
    assert(VectorizedReader.of(Iterator("a")).isEmpty)
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

  /** In format version 2, integers are in DELTA_BINARY_PACKED and strings in DELTA_BYTE_ARRAY. */
  private lazy val second: DataFrame = {
    withConf("parquet.enable.dictionary" -> "false")(
      spark.range(0, 20000, 1, 1)
        .selectExpr(
          "id",
          "CAST(id AS INT) n",
          "IF(id % 3 = 0, NULL, id) some",
          "lpad(id, 40, '0') s",
          "id % 2 = 0 b"
        )
        .write.option("parquet.writer.version", "PARQUET_2_0").option("parquet.enable.dictionary", "false")
        .option("parquet.page.size", "4000").option("parquet.page.row.count.limit", "777")
        .parquet(pathOf("second").toString)
    )
    spark.read.parquet(pathOf("second").toString)
  }

  for (batch <- Seq("4096", "7"); pushed <- Seq("true", "false"))
    test(s"line 85: a row has its own values in each encoding: batches of $batch, pushed filters $pushed") {
      withConf(
        LimitPruningConf.MinPageBytes.key -> "0",
        "spark.sql.parquet.columnarReaderBatchSize" -> batch,
        "spark.sql.parquet.filterPushdown" -> pushed
      ) {
        for (from <- 1 to 19001 by 3000; rows <- Seq(1, 300)) {
          val query =
            second.where(s"s >= lpad($from, 40, '0')").select("*", "_metadata.row_index").limit(rows)
          val found = query.collect()
          assert(found.length == rows)
          found.foreach { row =>
            val id = row.getLong(0)
            assert(id >= from && row.getInt(1) == id && row.getString(3).toLong == id)
            assert(row.getBoolean(4) == (id % 2 == 0) && row.getLong(5) == id)
            assert(if (id % 3 == 0) row.isNullAt(2) else row.getLong(2) == id)
          }
          val Seq(report) = reportsOf(query): @unchecked
          assert(report.rowsCut.exists(_ > 0) && report.bytesRead == report.bytesToRead)
        }
      }
    }

  test("line 85: EXPLAIN names the columns of which only whole pages are read") {
    withConf(LimitPruningConf.MinPageBytes.key -> "0") {
      val query = second.where("s >= lpad(9999, 40, '0')").select("id", "s", "b").limit(1)
      val plan = query.queryExecution.executedPlan.toString
      assert(
        plan.contains("(id, s in whole pages, because Spark's reader cannot skip values in their encoding)")
      )
    }
  }

  private def paged(name: String): Path = PagedFile.write(
    Files.createDirectories(pathOf(name)).resolve("f.parquet"),
    "optional int32 a; optional binary s (STRING);",
    (0 until 1000).map(i => Seq(i, s"name-${"x" * (i % 50)}"))
  )

  /** Changes the offset index of the first column, whose length stays the same. */
  private def relocated[T](path: Path)(edit: Seq[PageLocation] => T): T = {
    val bytes = Files.readAllBytes(path)
    val chunk = Using.resource(
      ParquetFileReader.open(HadoopInputFile.fromPath(new HadoopPath(path.toUri), new Configuration(false)))
    )(_.getFooter.getBlocks.get(0).getColumns.get(0))
    val place = chunk.getOffsetIndexReference
    val index =
      Util.readOffsetIndex(new ByteArrayInputStream(bytes, place.getOffset.toInt, place.getLength))
    val result = edit(index.getPage_locations.asScala.toSeq)
    val out = new ByteArrayOutputStream
    Util.writeOffsetIndex(index, out)
    assert(out.size == place.getLength)
    out.toByteArray.copyToArray(bytes, place.getOffset.toInt)
    FooterEdit.forgetChecksum(Files.write(path, bytes))
    result
  }

  /**
   * Moves the boundary of two pages by a byte: the index stays contiguous.
   *
   * @return the first row of the second page
   */
  private def misplaced(path: Path): Long = relocated(path) { pages =>
    val Seq(one, next) = pages.slice(20, 22): @unchecked
    one.setCompressed_page_size(one.getCompressed_page_size + 1)
    next.setOffset(next.getOffset + 1)
    next.setCompressed_page_size(next.getCompressed_page_size - 1)
    next.getFirst_row_index
  }

  for {
    vectorized <- Seq("true", "false")
    batch <- Seq("4096", "7")
  } test(s"line 84: a page that is not where its index says: vectorized $vectorized, batches of $batch") {
    val name = s"misplaced-$vectorized-$batch"
    val from = misplaced(paged(name))
    withConf(
      LimitPruningConf.MinPageBytes.key -> "0",
      "spark.sql.parquet.enableVectorizedReader" -> vectorized,
      "spark.sql.parquet.columnarReaderBatchSize" -> batch
    ) {
      val query = spark.read.parquet(pathOf(name).toString).where(s"a >= $from AND a < 900").limit(200)
      val found = query.collect()
      assert(found.map(_.getInt(0)).distinct.length == 200)
      assert(found.forall(row => row.getInt(0) >= from && row.getInt(0) < 900))
      assert(found.forall(row => row.getString(1) == s"name-${"x" * (row.getInt(0) % 50)}"))
      val again = scansOf(query).map(_.metrics(ScanMetrics.RowGroupsReadAgain).value)
      assert(again == Seq(if (vectorized == "true") 1L else 0L))
    }
  }

  for (batch <- Seq("4096", "7"))
    test(s"line 84: a page with other rows than its index says: batches of $batch") {
      val name = s"other-rows-$batch"
      // One row of page 20 is claimed to be of page 19, and one row of page 1 to be of page 0.
      val first = relocated(paged(name)) { pages =>
        Seq(1, 20).foreach(i => pages(i).setFirst_row_index(pages(i).getFirst_row_index + 1))
        pages(20).getFirst_row_index - 1
      }
      withConf(
        LimitPruningConf.MinPageBytes.key -> "0",
        "spark.sql.parquet.columnarReaderBatchSize" -> batch
      ) {
        val table = spark.read.parquet(pathOf(name).toString)
        val byStatistics = table.where("a >= 0").limit(200)
        assert(byStatistics.collect().map(_.getInt(0)).toSeq == (0 until 200), "the row group is read whole")
        assert(scansOf(byStatistics).map(_.metrics(ScanMetrics.RowGroupsReadAgain).value) == Seq(1L))
        val byPages = table.where(s"a >= $first AND a < 900").limit(200)
        val error = intercept[Exception](byPages.collect())
        val causes = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).toSeq
        assert(causes.exists(_.isInstanceOf[WrongPageIndexException]), causes)
      }
    }

  test("line 35: a split with other row groups than planned is an error that names the file") {
    val Seq(narrowed) =
      withConf(LimitPruningConf.MinPageBytes.key -> "0")(scansOf(table.limit(10))): @unchecked
    val cover = narrowed.chosen
    assert(cover.allRowsMatch)
    val files = cover.selection.files.map(f => f.copy(rowGroups = f.rowGroups.map(_.copy(rows = 999))))
    val lying = cover.copy(selection = cover.selection.copy(files = files))
    val message = intercept[FileChangedException](narrowed.copy(chosen = lying).executeCollect()).getMessage
    assert(message.contains("its row groups have 1000 rows instead of 999"))
    assert(message.contains("0.parquet"))
  }
}
