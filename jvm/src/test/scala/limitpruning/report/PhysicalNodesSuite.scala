package limitpruning.report

import org.apache.spark.sql.execution.RangeExec
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.SparkSuite

class PhysicalNodesSuite extends AnyFunSuite with SparkSuite {

  test("a node below a reused exchange is found at each use, also in a subquery") {
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val sums = spark.range(9).selectExpr("id % 2 AS k").groupBy("k").count()
      val query = sums.union(sums).where("k < (SELECT max(id) FROM range(3))")
      val plan = planned(query)
      assert(plan.collect { case range: RangeExec => range }.size == 1)
      assert(new PhysicalNodes().collectWithSubqueries(plan) { case range: RangeExec => range }.size == 4)
    }
  }
}
