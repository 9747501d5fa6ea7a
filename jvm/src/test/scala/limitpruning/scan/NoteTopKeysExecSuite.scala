package limitpruning.scan

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.Threshold
import limitpruning.testing.{ParquetFixture, SparkSuite}

class NoteTopKeysExecSuite extends AnyFunSuite with SparkSuite {
  private val fixture = ParquetFixture("optional int32 a; optional int32 b; optional binary s (STRING);")

  /**
   * Twenty files with two row groups of fifty rows each; a numbers all rows, and no predicate on b is proved
   * for a row group.
   */
  private lazy val table: DataFrame = tableOf(
    "table",
    (0 until 20).map { file =>
      def rows(from: Int): Seq[Seq[Any]] = (from until from + 50).map(i => Seq(i, i * 7919 % 100, f"$i%05d"))
      f"$file%02d.parquet" -> fixture.rowGroup(rows(file * 100): _*).rowGroup(rows(file * 100 + 50): _*)
    }: _*
  )

  private def notes(df: DataFrame): Seq[NoteTopKeysExec] =
    collectWithSubqueries(planned(df)) { case note: NoteTopKeysExec => note }

  private def skipped(df: DataFrame): Long = scansOf(df).head.metrics(ScanMetrics.RowGroupsSkipped).value
  private def begun(df: DataFrame): Long = scansOf(df).head.metrics(ScanMetrics.RowGroupsRead).value

  for {
    vectorized <- Seq("true", "false")
    wholeStage <- Seq("true", "false")
    adaptive <- Seq("true", "false")
  } test(s"row groups behind the rows that were read are skipped: $vectorized, $wholeStage, $adaptive") {
    withConf(
      "spark.sql.parquet.enableVectorizedReader" -> vectorized,
      "spark.sql.codegen.wholeStage" -> wholeStage,
      "spark.sql.adaptive.enabled" -> adaptive
    ) {
      val query = table.where("b >= 40").orderBy(table("a").desc).limit(10)
      val (pruned, plain) = rowsBothWays(query)
      assert(pruned == plain)
      assert(notes(query).size == 1 && scansOf(query).size == 1)
    }
    val query = table.where("b >= 40").orderBy(table("s").desc).select("a").limit(10)
    assert(query.collect().toSeq == withoutPruning(query.toDF().collect().toSeq))
    assert(begun(query) <= 4 && skipped(query) >= 36)
    assert(begun(query) + skipped(query) == 40)
  }

  test("few matches add up over tasks") {
    withConf("spark.sql.files.minPartitionNum" -> "10", "spark.sql.files.openCostInBytes" -> "40000000") {
      val query = table.where("b = 40").orderBy("a").limit(3)
      assert(query.rdd.getNumPartitions >= 1)
      val (pruned, plain) = rowsBothWays(query)
      assert(pruned == plain)
    }
  }

  test("line 40: a repeated query has the same result, and finds its threshold again") {
    val query = table.where("b >= 40").orderBy("a").limit(10)
    val first = query.collect().toSeq
    assert(query.collect().toSeq == first && query.collect().toSeq == first)
  }

  test("also if Sort and LIMIT are planned separately") {
    withConf("spark.sql.execution.topKSortFallbackThreshold" -> "5") {
      val query = table.where("b >= 40").orderBy(table("a").desc).limit(10)
      assert(notes(query).size == 1)
      val (pruned, plain) = rowsBothWays(query)
      assert(pruned == plain)
    }
  }

  test("keys are not recorded if one row group is read, or if the limit exceeds the maximum") {
    assert(notes(table.orderBy("a").limit(10)).isEmpty)
    assert(notes(table.where("b >= 40").orderBy("a").limit(Threshold.MostNoted + 1)).isEmpty)
  }

  test("line 40: scans for other limits or orders are not the same scan") {
    def scan(df: DataFrame) = scansOf(df).head.canonicalized
    val ten = table.where("b >= 40").orderBy("a").limit(10)
    assert(scan(ten) == scan(table.where("b >= 40").orderBy("a").limit(10)))
    assert(scan(ten) != scan(table.where("b >= 40").orderBy("a").limit(11)))
    assert(scan(ten) != scan(table.where("b >= 40").orderBy(table("a").asc_nulls_last).limit(10)))
  }
}
