package limitpruning.catalyst

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.footers.FactsCache
import limitpruning.testing.{SparkSuite, Wildlife}

class PruneV2LimitsSuite extends AnyFunSuite with SparkSuite {

  test("LIMITs are not compared with each other if no table is of Iceberg") {
    val table = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
    val plan = withoutPruning(optimized(table.limit(2).union(table.limit(3))))
    val state = new CountingState
    assert(PruneV2Limits(spark, state)(plan) eq plan)
    assert(state.decisions == 0)
    assert(PruneLateLimits(spark, state)(plan) ne null)
    assert(state.decisions > 0)
  }

  private final class CountingState extends PlanningState {
    var decisions = 0
    override def facts: FactsCache = FactsCache.none
    override def countFailure(): Unit = ()
    override def addPlanning(nanos: Long): Unit = decisions += 1
  }
}
