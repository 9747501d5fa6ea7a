package limitpruning.tables

import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{SparkSuite, Wildlife}

class SelectedRelationSuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
  private def selectedIn(plan: LogicalPlan): Seq[SelectedFileIndex] =
    plan.collect { case SelectedRelation(_, index: SelectedFileIndex) => index }

  test("matches only relations with a selection") {
    assert(selectedIn(optimized(Wildlife.query(wildlife))).size == 1)
    assert(selectedIn(optimized(wildlife)) == Nil)
    assert(selectedIn(optimized(spark.range(3).toDF().limit(1))) == Nil)
  }

  test("restoring gives the same plan as without the extension") {
    val plain = withoutPruning(optimized(Wildlife.query(wildlife)))
    assert(SelectedRelation.restoreIn(optimized(Wildlife.query(wildlife))).canonicalized ==
      plain.canonicalized)
    assert(SelectedRelation.restoreIn(plain) eq plain)
  }

  test("replaces only one scan of a table, even if the plan has several") {
    val both = withoutPruning(optimized(wildlife.union(wildlife.toDF("a", "b"))))
    val Seq(first, second) =
      both.collect { case leaf: LeafNode => ParquetTable.of(leaf) }.flatten: @unchecked
    val index = selectedIn(optimized(Wildlife.query(wildlife))).head
    val replaced = SelectedRelation.replaceIn(both, second.leaf, index)
    val locations =
      replaced.collect { case leaf: LeafNode => ParquetTable.of(leaf) }.flatten.map(_.relation.location)
    assert(locations == Seq(first.relation.location, index))
  }

  test("statistics are those of the selection, also for catalog tables") {
    withTable("wild")(withConf("spark.sql.cbo.enabled" -> "true") {
      wildlife.union(wildlife).write.saveAsTable("wild") // as two files
      spark.sql("ANALYZE TABLE wild COMPUTE STATISTICS")
      val query = spark.table("wild").where("s >= 4").limit(3)
      val Seq(relation) =
        optimized(query).collect { case SelectedRelation(logical, _) => logical }: @unchecked
      val cover = selectedIn(optimized(query)).head.chosen
      assert(cover.selection.rows < spark.table("wild").count())
      assert(relation.stats.rowCount.contains(BigInt(cover.selection.rows)))
    })
    val ofFiles = optimized(Wildlife.query(wildlife)).collect { case SelectedRelation(logical, index) =>
      logical.stats.sizeInBytes == BigInt(index.chosen.selection.bytes)
    }
    assert(ofFiles == Seq(true))
  }

  private def withTable[T](name: String)(body: => T): T =
    try body
    finally { val _ = spark.sql(s"DROP TABLE IF EXISTS $name") }
}
