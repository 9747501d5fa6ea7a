package limitpruning.select

import java.nio.file.Files

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, lit, pmod}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.LimitPruningConf
import limitpruning.testing.{FooterEdit, ParquetFixture, SparkSuite, Wildlife}

/**
 * One query for each reason that a query can have. The suites of the rule test reasons that only a plan can
 * have.
 */
class ReasonSuite extends AnyFunSuite with SparkSuite {
  private val ints = ParquetFixture("optional int32 a;")
  private val unclustered = ints.rowGroup(Seq(1), Seq(9)).rowGroup(Seq(2), Seq(8))

  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
  private lazy val clustered =
    tableOf("clustered", (0 until 20).map(i => s"$i.parquet" -> ints.rowGroup(Seq(i), Seq(i))): _*)

  private def declines(code: String)(df: => DataFrame): Unit =
    test(s"$code, and the rows are the same as without the extension") {
      assert(reasonOf(df).contains(code))
      assert(scansOf(df) == Nil)
      val (ours, plain) = rowsBothWays(df)
      assert(ours == plain)
    }

  declines("operator-between")(wildlife.sample(0.5, 1L).limit(2))
  declines("groups-not-complete")(wildlife.groupBy("species").count().limit(2))
  declines("group-filter")(wildlife.groupBy("species").count().where("count < 9").limit(2))
  declines("not-enough-groups")(wildlife.select("species").distinct().limit(12))
  declines("not-deterministic")(wildlife.where("rand(5) < 0.9").limit(2))
  declines("not-enough-rows")(wildlife.where("s % 2 = 0").limit(9))
  declines("not-clustered")(
    tableOf("unclustered", (0 until 9).map(i => s"$i.parquet" -> unclustered): _*).where("a > 5").limit(2)
  )
  declines("no-files") {
    val dir = pathOf("partitioned").toString
    if (!Files.exists(pathOf("partitioned")))
      spark.range(4).selectExpr("id", "id % 2 AS p").write.partitionBy("p").parquet(dir)
    spark.read.parquet(dir).where("p = 7").limit(1)
  }
  declines("partition-decimals") {
    tableOf("decimals", "p=1.5/a.parquet" -> ints.rowGroup(Seq(1), Seq(9)))
    spark.read.schema("a INT, p DECIMAL(5, 2)").parquet(pathOf("decimals").toString).where("a < 20").limit(1)
  }
  declines("too-deeply-nested") {
    val key = (1 to 60).foldLeft(col("s"))((inner, _) => pmod(inner, lit(1000)))
    wildlife.select("s").orderBy(key).limit(2)
  }
  declines("split-dependent")(wildlife.selectExpr("_metadata.file_block_start").limit(1))

  test("data-source-v2") {
    withConf("spark.sql.sources.useV1SourceList" -> "") {
      assert(reasonOf(spark.read.parquet(pathOf("wildlife").toString).limit(1)).contains("data-source-v2"))
    }
  }

  test("tolerates-bad-files") {
    val tolerant = spark.read.option("ignoreCorruptFiles", "true").parquet(pathOf("wildlife").toString)
    assert(reasonOf(tolerant.orderBy("s").limit(1)).contains("tolerates-bad-files"))
    assert(reasonOf(tolerant.where("s > 50").limit(1)).isEmpty, "without ORDER BY, there is a reserve")
  }

  test("line 36: unreadable-footer, and the query fails with plain Spark's error") {
    val table = tableOf("corrupt", "a.parquet" -> unclustered, "b.parquet" -> unclustered)
    Files.write(pathOf("corrupt/b.parquet"), Array.fill[Byte](100)(7))
    val query = table.where("a < 9").limit(3)
    assert(reasonOf(query).contains("unreadable-footer"))
    assert(reportsOf(query).head.reason.get.message.contains("b.parquet"))
    val ours = intercept[Exception](query.collect()).getMessage
    val plain = withoutPruning(intercept[Exception](table.where("a < 9").limit(3).collect()).getMessage)
    assert(ours == plain)
  }

  test("unaddressable-row-groups") {
    val table = tableOf("twins", "a.parquet" -> ints.rowGroup(Seq(1)).rowGroup(Seq(9)))
    FooterEdit(pathOf("twins/a.parquet")) { raw =>
      val first = raw.getRow_groups.get(0).getColumns.get(0).getMeta_data
      raw.getRow_groups.get(1).getColumns.get(0).getMeta_data.setData_page_offset(first.getData_page_offset)
    }
    assert(reasonOf(table.where("a > 5").limit(1)).contains("unaddressable-row-groups"))
  }

  test("out-of-budget, of files and of time, names the setting and its value") {
    def query = clustered.where("a >= 0").limit(30)
    withConf(LimitPruningConf.MaxFiles.key -> "5") {
      assert(reasonOf(query).contains("out-of-budget"))
      assert(reportsOf(query).head.reason.get.message.contains("spark.limitPruning.planning.maxFiles = 5 "))
      assert(reportsOf(query).head.files.map(_.lookedAt).contains(5))
    }
    withConf(LimitPruningConf.MaxTime.key -> "0") {
      assert(reasonOf(query).contains("out-of-budget"))
      assert(reportsOf(query).head.reason.get.message.contains("spark.limitPruning.planning.maxTime"))
    }
    assert(reasonOf(query).isEmpty, "within the budget it is covered")
  }

  test("disabled, if the rule was off while the query was planned") {
    val query = withoutPruning {
      val query = Wildlife.query(wildlife)
      assert(scansOf(query) == Nil)
      query
    }
    assert(reasonOf(query).contains("disabled"))
  }

  test("codes are different, and messages are sentences without line breaks") {
    val all = Seq(
      Reason.LimitNotConstant,
      Reason.OperatorBetween("Sort"),
      Reason.NotDeterministic("rand()"),
      Reason.NotSparksParquet("F"),
      Reason.NotSparksIndex("I"),
      Reason.DataSourceV2("Spark"),
      Reason.IcebergScan("a scan"),
      Reason.IcebergVersion("method"),
      Reason.KeyNotColumn("(id + 1)"),
      Reason.KeyNotClusteredInFiles("id ASC", 9, "o in 3 of 9 files"),
      Reason.NotEnoughRowsInFiles(1, 2, 3, 4, ""),
      Reason.NothingToSkip,
      Reason.Streaming,
      Reason.ToleratesBadFiles("s"),
      Reason.SharedDefinition,
      Reason.RepeatedLimit,
      Reason.SplitDependent("c"),
      Reason.NoFiles,
      Reason.UnreadableFooter("problem"),
      Reason.UnaddressableRowGroups("p"),
      Reason.NotClustered(4, ""),
      Reason.NotEnoughRows(1, 2, ""),
      Reason.OutOfBudget("s", "1", 2, 3),
      Reason.KeyNotOrdered("k", "MAP<INT, INT>"),
      Reason.KeyNotClustered(4, "k ASC", ""),
      Reason.NotEnoughGroups(1, 2, "k", 3, ""),
      Reason.GroupsNotComplete("k"),
      Reason.GroupFilter("count > 1"),
      Reason.FiltersChanged,
      Reason.PlanningFailed("e"),
      Reason.Disabled,
      Reason.DisabledWhenRun,
      Reason.DecidedByRows(Some(Reason.NotSeen)),
      Reason.NotSeen
    )
    assert(all.map(_.code).distinct.size == all.size)
    for (reason <- all) {
      assert(reason.code.matches("[a-z0-9]+(-[a-z0-9]+)*"), reason)
      assert(!reason.message.contains("\n") && reason.message.nonEmpty, reason)
    }
  }
}
