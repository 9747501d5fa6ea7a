package limitpruning.report

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.LimitPruningConf
import limitpruning.testing.{SparkSuite, Wildlife}

class ReportBridgeSuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
  private val bridge = new ReportBridge

  private def limits(df: DataFrame): Seq[JsonNode] =
    new ObjectMapper().readTree(bridge.report(execution(df))).get("limits").iterator.asScala.toSeq

  private val keys = Seq(
    "table",
    "limit",
    "order_by",
    "bound",
    "rows_certain",
    "predicate",
    "covered",
    "reason",
    "row_groups_total",
    "row_groups_matched",
    "row_groups_fully_matched",
    "row_groups_dropped",
    "row_groups_scanned",
    "files_total",
    "files_looked_at",
    "footers_kept",
    "files_scanned",
    "bytes_total",
    "rows_to_read",
    "row_ranges",
    "rows_cut",
    "pages_skipped",
    "no_page_skipping",
    "bytes_to_read",
    "planning_ms",
    "row_filter_skipped",
    "rows_read",
    "row_groups_read",
    "row_groups_skipped",
    "bytes_read",
    "row_groups",
    "row_groups_omitted"
  )

  test("a report is JSON with the same keys for every LIMIT, null where a thing is not known") {
    for (limit <- Seq(3, 4)) {
      val Seq(node) = limits(Wildlife.query(wildlife, limit)): @unchecked
      assert(node.fieldNames.asScala.toSeq == keys)
    }
    assert(limits(wildlife) == Nil)
  }

  test("a covered LIMIT as JSON") {
    val Seq(node) = limits(Wildlife.query(wildlife)): @unchecked
    assert(node.get("covered").asBoolean && node.get("row_filter_skipped").asBoolean)
    assert(node.get("reason").isNull && node.get("rows_read").isNull)
    val counts =
      Seq("limit", "row_groups_total", "row_groups_matched", "row_groups_fully_matched", "row_groups_scanned")
    assert(counts.map(node.get(_).asInt) == Seq(3, 4, 3, 1, 1))
    assert(node.get("planning_ms").isDouble && node.get("predicate").asText.contains("50"))
  }

  test("a declined LIMIT as JSON") {
    val Seq(node) = limits(wildlife.where("s % 2 = 0").limit(1)): @unchecked
    assert(!node.get("covered").asBoolean)
    assert(node.get("reason").get("code").asText == "not-enough-rows")
    assert(node.get("reason").get("message").asText.nonEmpty)
    assert(node.get("row_groups_scanned").isNull && node.get("bytes_to_read").isNull)
  }

  test("a LIMIT that is not covered, but helped, as JSON") {
    val Seq(node) = limits(Wildlife.query(wildlife, limit = 4)): @unchecked
    assert(!node.get("covered").asBoolean)
    assert(node.get("reason").get("code").asText == "not-enough-rows")
    assert(node.get("row_groups_scanned").asInt == 3 && node.get("bytes_to_read").asLong > 0)
    assert(!node.get("row_filter_skipped").asBoolean)
  }

  test("a report does not run the query") {
    val query = Wildlife.query(wildlife)
    val _ = limits(query)
    assert(limits(query).head.get("row_groups_read").isNull)
  }

  test("a session with the rule is active, even while it is switched off") {
    assert(bridge.isActive(spark))
    assert(withoutPruning(bridge.isActive(spark)))
  }

  test("unexpected errors of planning are counted") {
    val _ = wildlife
    withConf(LimitPruningConf.FailOnError.key -> "false") {
      val before = bridge.planningFailures(spark)
      val table = spark.read.option("datetimeRebaseMode", "NONSENSE").parquet(pathOf("wildlife").toString)
      assert(reasonOf(Wildlife.query(table)).contains("planning-failed"))
      assert(bridge.planningFailures(spark) > before)
    }
  }

  test("history and totals are JSON, of all sessions of the application") {
    val _ = Wildlife.query(wildlife).collect()
    val last = new ObjectMapper().readTree(
      bridge.history(spark.newSession())
    ).get("queries").iterator.asScala.toSeq.last
    assert(last.fieldNames.asScala.toSeq ==
      Seq("execution_id", "description", "started", "ended", "failed", "limits"))
    assert(last.get("limits").get(0).fieldNames.asScala.toSeq == keys)
    val totals = new ObjectMapper().readTree(bridge.totals(spark))
    assert(totals.fieldNames.asScala.toSeq == new Totals().names && totals.get("queries").asLong > 0)
  }

  test("outside of a JAR the version is unknown") {
    assert(bridge.version == "unknown")
  }
}
