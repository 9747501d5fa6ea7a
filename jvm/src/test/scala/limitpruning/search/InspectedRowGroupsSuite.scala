package limitpruning.search

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.tables.SelectedRelation
import limitpruning.testing.{SparkSuite, Wildlife}

class InspectedRowGroupsSuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)

  test("a selection has the inspected row groups") {
    val Seq(index) =
      optimized(Wildlife.query(wildlife)).collect { case SelectedRelation(_, index) => index }: @unchecked
    val states =
      index.plan.inspected.flatMap(_.map((files, _) => files.flatMap(_.rowGroups.map(_.state.toString))))
    assert(states.contains(Seq("NotMatching", "PartiallyMatching", "FullyMatching", "PartiallyMatching")))
  }

  test("a LIMIT that is not pruned has the inspected row groups") {
    val Seq(limit) = optimized(wildlife.where("s % 2 = 0").limit(1)).collect {
      case limit: org.apache.spark.sql.catalyst.plans.logical.LocalLimit => limit
    }: @unchecked
    val seen = limit.getTagValue(NotPruned.Tag).flatMap(_.inspected)
    assert(seen.flatMap(_.map((files, _) => files.map(_.rowGroups.size))).contains(Seq(4)))
  }
}
