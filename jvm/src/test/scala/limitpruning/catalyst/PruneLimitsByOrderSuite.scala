package limitpruning.catalyst

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.LimitPruningConf
import limitpruning.report.SharedState
import limitpruning.search.NotPruned
import limitpruning.tables.SelectedRelation
import limitpruning.testing.{ParquetFixture, SparkSuite}

class PruneLimitsByOrderSuite extends AnyFunSuite with SparkSuite {
  private lazy val shared = SharedState.of(spark)
  private def rule = PruneLimits(spark, shared)
  private val ints = ParquetFixture("optional int32 a;")
  private lazy val table =
    tableOf(
      "sorted",
      "0.parquet" -> ints.rowGroup(Seq(1), Seq(2)).rowGroup(Seq(3), Seq(4)).rowGroup(Seq(5), Seq(6))
    )

  private def unpruned(df: => DataFrame): LogicalPlan = withoutPruning(optimized(df))
  private def selected(plan: LogicalPlan): Int = plan.collect { case SelectedRelation(_, _) => 1 }.sum
  private def reasons(plan: LogicalPlan): Seq[String] = plan.collect { case limit: LocalLimit => limit }
    .flatMap(_.getTagValue(NotPruned.Tag)).map(_.reason.code)

  test("replaces only the file index below ORDER BY … LIMIT") {
    val before = unpruned(table.orderBy("a").limit(2))
    val after = rule(before)
    assert(selected(after) == 1)
    assert(after.map(_.nodeName) == before.map(_.nodeName) && after.output == before.output)
    assert(SelectedRelation.restoreIn(after) == before)
  }

  test("returns the same object if nothing changes, and if it runs again") {
    val once = rule(unpruned(table.orderBy("a").limit(2)))
    assert(rule(once) eq once)
    for (df <- Seq(table.toDF(), table.orderBy("a"))) {
      val plan = unpruned(df)
      assert((rule(plan) eq plan) && reasons(plan) == Nil)
    }
  }

  test("returns the same object if the LIMIT is not pruned, with the reason on the LIMIT") {
    val plan = unpruned(table.groupBy("a").count().orderBy("a").limit(2))
    assert((rule(plan) eq plan) && reasons(plan) == Seq("operator-between"))
  }

  test("changes nothing if disabled") {
    withoutPruning {
      val plan = unpruned(table.orderBy("a").limit(2))
      assert((rule(plan) eq plan) && reasons(plan) == Seq("disabled"))
    }
  }

  test(
    "an unexpected error does not change the plan, and is counted; with failOnError, it fails the query"
  ) {
    val _ = table
    val failing = spark.read.option("datetimeRebaseMode", "NONSENSE").parquet(pathOf("sorted").toString)
    val before = shared.totals.planningFailures.sum
    withConf(LimitPruningConf.FailOnError.key -> "false") {
      val plan = unpruned(failing.orderBy("a").limit(2))
      assert(rule(plan) eq plan)
      assert(shared.totals.planningFailures.sum == before + 1 && reasons(plan) == Seq("planning-failed"))
    }
    intercept[Exception](rule(unpruned(failing.orderBy("a").limit(2))))
  }
}
