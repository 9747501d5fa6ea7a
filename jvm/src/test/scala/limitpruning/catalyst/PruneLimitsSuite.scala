package limitpruning.catalyst

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.LimitPruningConf
import limitpruning.report.SharedState
import limitpruning.search.NotPruned
import limitpruning.tables.SelectedRelation
import limitpruning.testing.{SparkSuite, Wildlife}

class PruneLimitsSuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
  private lazy val shared = SharedState.of(spark)
  private lazy val rule = PruneLimits(spark, shared)

  private def unpruned(df: => DataFrame): LogicalPlan = withoutPruning(optimized(df))
  private def selected(plan: LogicalPlan): Int = plan.collect { case SelectedRelation(_, index) =>
    index
  }.size
  private def reasons(plan: LogicalPlan): Seq[String] =
    plan.collect { case limit: LocalLimit => limit.getTagValue(NotPruned.Tag).map(_.reason.code) }.flatten

  test("replaces only the file index of a covered LIMIT") {
    val before = unpruned(Wildlife.query(wildlife))
    val after = rule(before)
    assert(selected(before) == 0 && selected(after) == 1)
    assert(after.map(_.nodeName) == before.map(_.nodeName))
    assert(after.output == before.output)
    assert(SelectedRelation.restoreIn(after) == before)
  }

  /** A LIMIT that is not pruned: no row group is proved to match, or not to match. */
  private def declined: DataFrame = wildlife.where("s % 2 = 0").select("species").limit(4)

  test("returns the same object if nothing changes") {
    for (df <- Seq(wildlife.toDF(), wildlife.groupBy("s").count(), spark.range(5).toDF().limit(2))) {
      val plan = unpruned(df)
      assert(rule(plan) eq plan)
    }
  }

  test("returns the same object if the LIMIT is not pruned, with the reason on the LIMIT") {
    val plan = unpruned(declined)
    assert(rule(plan) eq plan)
    assert(reasons(plan) == Seq("not-enough-rows"))
  }

  test("changes nothing if it runs again") {
    val once = rule(unpruned(Wildlife.query(wildlife)))
    assert(rule(once) eq once)
  }

  test("decides each LIMIT of a plan separately") {
    val both = Wildlife.query(wildlife).union(declined)
    val plan = rule(unpruned(both))
    assert(selected(plan) == 1)
    assert(reasons(plan) == Seq("not-enough-rows"))
  }

  test("changes nothing if disabled, and a later rule gives this reason") {
    withoutPruning {
      val plan = unpruned(Wildlife.query(wildlife))
      assert(rule(plan) eq plan)
      assert(reasons(plan) == Seq("disabled"))
    }
  }

  /** A table with an invalid option that Spark detects only when it reads a file. */
  private def failing: DataFrame =
    Wildlife.query(spark.read.option("datetimeRebaseMode", "NONSENSE").parquet(pathOf("wildlife").toString))

  test("an unexpected error does not change the plan, and is counted") {
    val _ = wildlife
    withConf(LimitPruningConf.FailOnError.key -> "false") {
      val plan = unpruned(failing)
      val before = shared.totals.planningFailures.sum
      assert(rule(plan) eq plan)
      assert(shared.totals.planningFailures.sum == before + 1)
      assert(reasons(plan) == Seq("planning-failed"))
    }
  }

  test("with failOnError, an unexpected error fails the query") {
    val _ = wildlife
    intercept[Exception](rule(unpruned(failing)))
  }
}
