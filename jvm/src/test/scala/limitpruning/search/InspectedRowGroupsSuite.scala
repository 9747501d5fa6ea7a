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

  test(
    "a plan holds the first files only, up to a number of bytes, and counts the row groups of the others"
  ) {
    val Seq(index) =
      optimized(Wildlife.query(wildlife)).collect { case SelectedRelation(_, index) => index }: @unchecked
    for (inspected <- index.plan.inspected) yield inspected.map { (files, classify) =>
      val file = files.head
      val fit = (InspectedRowGroups.MostBytes / file.footer.size).toInt
      for (more <- Seq(-1, 0, 1, 1000)) {
        val held = InspectedRowGroups(Seq.fill(fit + more)(file), classify)
        assert(held.map((files, _) => files.size).contains(fit + more.min(0)))
        assert(held.omitted == 4 * more.max(0))
      }
    }
    assert(index.plan.inspected.exists(_.omitted == 0))
  }
}
