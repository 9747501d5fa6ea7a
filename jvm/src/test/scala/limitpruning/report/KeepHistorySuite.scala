package limitpruning.report

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{SparkSuite, Wildlife}

class KeepHistorySuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)

  /** The queries that the listener receives while `body` runs. */
  private def heard(body: => Any): (Seq[QueryReport], Totals) = {
    val (history, totals) = (new History(10), new Totals)
    val listener = new KeepHistory(history, totals)
    ListenerEvents.await(spark.sparkContext, 10000)
    spark.sparkContext.addSparkListener(listener)
    try { val _ = body; ListenerEvents.await(spark.sparkContext, 10000) }
    finally spark.sparkContext.removeSparkListener(listener)
    (history.queries, totals)
  }

  private def query(limit: Int = 3): DataFrame = Wildlife.query(wildlife, limit)

  test("a query that has run is stored, with the numbers of reading, and its times") {
    val before = System.currentTimeMillis()
    val (Seq(kept), totals) = heard(query().collect()): @unchecked
    assert(!kept.failed && kept.started.exists(_ >= before) && kept.ended >= kept.started.get)
    assert(kept.description.contains("KeepHistorySuite") || kept.description.contains("collect"))
    val Seq(limit) = kept.report.limits: @unchecked
    assert(limit.covered && limit.rowsRead.contains(3L) && limit.map == RowGroupMap.Empty)
    assert(totals.value("queries") == 1 && totals.value("limitsCovered") == 1)
    assert(totals.value("rowGroupsTotal") == 4 && totals.value("rowGroupsRead") == 1)
  }

  test("one LIMIT that is not covered, and one that is not pruned") {
    val (kept, totals) = heard { query(4).collect(); wildlife.where("s % 2 = 0").limit(1).collect() }
    assert(kept.map(_.report.limits.map(_.isNarrowed)) == Seq(Seq(true), Seq(false)))
    assert(totals.value("limitsNotCovered") == 1 && totals.value("limitsNotPruned") == 1)
  }

  test("the rows that a command reads count") {
    val (kept, _) = heard(query().write.parquet(pathOf("written").toString))
    assert(kept.flatMap(_.report.limits).map(_.rowsRead) == Seq(Some(3L)))
  }

  test("queries without a LIMIT over Parquet, and plans that did not run, are not stored") {
    val (kept, totals) = heard { wildlife.collect(); query().queryExecution; planned(query()) }
    assert(kept.isEmpty && totals.value("queries") == 0)
  }

  test("a query that fails is stored as failed, one that cannot be planned is not stored") {
    val (Seq(kept), _) = heard {
      intercept[Exception](wildlife.where("s >= 76").selectExpr("raise_error(species)").limit(1).collect())
      intercept[Exception](wildlife.where("nothing > 1").limit(1).collect())
    }: @unchecked
    assert(kept.failed)
  }
}
