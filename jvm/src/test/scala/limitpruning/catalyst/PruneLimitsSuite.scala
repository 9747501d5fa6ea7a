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

  test("replaces the file index of a covered LIMIT, and nothing else") {
    val before = unpruned(Wildlife.query(wildlife))
    val after = rule(before)
    assert(selected(before) == 0 && selected(after) == 1)
    assert(after.map(_.nodeName) == before.map(_.nodeName))
    assert(after.output == before.output)
    assert(SelectedRelation.restoreIn(after) == before)
  }

  /** No row group is proved to match, or not to. */
  private def declined: DataFrame = wildlife.where("s % 2 = 0").select("species").limit(4)

  test("gives the same object where nothing is to be changed") {
    for (df <- Seq(wildlife.toDF(), wildlife.groupBy("s").count(), spark.range(5).toDF().limit(2))) {
      val plan = unpruned(df)
      assert(rule(plan) eq plan)
    }
  }

  test("gives the same object where the LIMIT is declined, with the reason on the LIMIT") {
    val plan = unpruned(declined)
    assert(rule(plan) eq plan)
    assert(reasons(plan) == Seq("not-enough-rows"))
  }

  test("run again, it changes nothing") {
    val once = rule(unpruned(Wildlife.query(wildlife)))
    assert(rule(once) eq once)
  }

  test("each LIMIT of a plan is decided on by itself") {
    val both = Wildlife.query(wildlife).union(declined)
    val plan = rule(unpruned(both))
    assert(selected(plan) == 1)
    assert(reasons(plan) == Seq("not-enough-rows"))
  }

  test("switched off, it changes nothing and looks at nothing") {
    withoutPruning {
      val plan = unpruned(Wildlife.query(wildlife))
      assert(rule(plan) eq plan)
      assert(reasons(plan) == Nil)
    }
  }

  /** A table whose options Spark finds wrong only when it looks into a file. */
  private def failing: DataFrame =
    Wildlife.query(spark.read.option("datetimeRebaseMode", "NONSENSE").parquet(pathOf("wildlife").toString))

  test("an unexpected error leaves the query to Spark, and is counted") {
    val _ = wildlife
    withConf(LimitPruningConf.FailOnError.key -> "false") {
      val plan = unpruned(failing)
      val before = shared.totals.planningFailures.sum
      assert(rule(plan) eq plan)
      assert(shared.totals.planningFailures.sum == before + 1)
      assert(reasons(plan) == Seq("planning-failed"))
    }
  }

  test("an unexpected error fails the query where a test asks for that") {
    val _ = wildlife
    intercept[Exception](rule(unpruned(failing)))
  }
}
