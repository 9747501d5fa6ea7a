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
    "predicate",
    "order_by",
    "threshold",
    "covered",
    "reason",
    "row_filter_skipped",
    "files",
    "row_groups",
    "pages",
    "rows",
    "bytes",
    "time"
  )

  private val groups = Map(
    "files" -> Seq("pruned_by_log", "total", "inspected", "footers_cached", "scanned", "reserve", "chosen"),
    "row_groups" ->
      Seq(
        "total",
        "matched",
        "fully_matched",
        "dropped",
        "scanned",
        "reserve",
        "read",
        "skipped",
        "details",
        "omitted"
      ),
    "pages" -> Seq("skipped", "not_skipped_reason"),
    "rows" -> Seq("to_read", "ranges", "cut", "skipped", "certain", "verified", "read"),
    "bytes" -> Seq("total", "to_read", "read_first", "read"),
    "time" -> Seq("planning_ms")
  )

  test("a report is JSON with the same keys for every LIMIT, null if a value is not known") {
    for (limit <- Seq(3, 4)) {
      val Seq(node) = limits(Wildlife.query(wildlife, limit)): @unchecked
      assert(node.fieldNames.asScala.toSeq == keys)
      for ((group, names) <- groups) assert(node.get(group).fieldNames.asScala.toSeq == names)
    }
    assert(limits(wildlife) == Nil)
  }

  test("a covered LIMIT as JSON") {
    val Seq(node) = limits(Wildlife.query(wildlife)): @unchecked
    assert(node.get("covered").asBoolean && node.get("row_filter_skipped").asBoolean)
    assert(node.get("reason").isNull && node.at("/rows/read").isNull)
    val counts = Seq("total", "matched", "fully_matched", "scanned")
    assert(counts.map(node.get("row_groups").get(_).asInt) == Seq(4, 3, 1, 1))
    assert(node.get("limit").asInt == 3)
    assert(node.at("/time/planning_ms").isDouble && node.get("predicate").asText.contains("50"))
  }

  test("a LIMIT that is not pruned as JSON") {
    val Seq(node) = limits(wildlife.where("s % 2 = 0").limit(1)): @unchecked
    assert(!node.get("covered").asBoolean)
    assert(node.get("reason").get("code").asText == "not-enough-rows")
    assert(node.get("reason").get("message").asText.nonEmpty)
    assert(node.at("/row_groups/scanned").isNull && node.at("/bytes/to_read").isNull)
  }

  test("a LIMIT that is not covered as JSON") {
    val Seq(node) = limits(Wildlife.query(wildlife, limit = 4)): @unchecked
    assert(!node.get("covered").asBoolean)
    assert(node.get("reason").get("code").asText == "not-enough-rows")
    assert(node.at("/row_groups/scanned").asInt == 3 && node.at("/bytes/to_read").asLong > 0)
    assert(!node.get("row_filter_skipped").asBoolean)
  }

  test("a report does not run the query") {
    val query = Wildlife.query(wildlife)
    val _ = limits(query)
    assert(limits(query).head.at("/row_groups/read").isNull)
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
