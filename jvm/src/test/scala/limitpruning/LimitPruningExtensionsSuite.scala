package limitpruning

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.catalyst.{PlanLimitPrunedScan, PruneLimits}
import limitpruning.testing.{SparkSuite, Wildlife}

class LimitPruningExtensionsSuite extends AnyFunSuite with SparkSuite {

  test("a session gets the rule and the strategy once") {
    val state = spark.sessionState
    assert(state.optimizer.preCBORules.count(_.isInstanceOf[PruneLimits]) == 1)
    assert(state.planner.strategies.count(_.isInstanceOf[PlanLimitPrunedScan]) == 1)
  }

  test("sessions of one application share the error counter") {
    def counter(session: org.apache.spark.sql.classic.SparkSession) =
      session.sessionState.optimizer.preCBORules.collectFirst { case rule: PruneLimits =>
        rule.state
      }.get
    assert(counter(spark) eq counter(spark.newSession()))
  }

  test("the case study works end to end") {
    val table = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
    val (ours, plain) = rowsBothWays(Wildlife.query(table))
    assert(ours.map(_.getString(0)).toSet == Set("Alpine Ibex", "Alpine Goat", "Alpine Sheep"))
    assert(plain.size == 3)
  }
}
