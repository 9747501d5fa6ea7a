package limitpruning.report

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{FileSourceScanExec, LeafExecNode, LocalTableScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.FileIndex
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.catalyst.ChooseWhenRunExec
import limitpruning.conf.LimitPruningConf
import limitpruning.scan.LimitPrunedScanExec
import limitpruning.select.Reason
import limitpruning.tables.{SelectedRelation, UndecidedRelation}
import limitpruning.testing.{ParquetFixture, SparkSuite, Wildlife}

class DescribeQuerySuite extends AnyFunSuite with SparkSuite {
  import DescribeQuerySuite._

  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)

  test("a covered LIMIT is described as it was decided") {
    val Seq(report) = reportsOf(Wildlife.query(wildlife)): @unchecked
    assert(report.covered && report.limit.contains(3) && report.rowFilterSkipped)
    assert(report.rowGroups.contains(RowGroupCounts(4, 3, 1, Some(1))))
    assert(report.files.map(_.copy(footersCached = 0, bytes = 0)).contains(FileCounts(1, 1, 0, Some(1), 0)))
    assert(report.rowsToRead.contains(3L) && report.bytesToRead.exists(_ > 0))
    assert(report.table.endsWith("/wildlife") && report.predicate.exists(_.contains("s >= 50")))
    assert(report.planningMs.exists(_ > 0))
  }

  test("the numbers of reading are known only after the query has run") {
    val query = Wildlife.query(wildlife)
    val Seq(before) = reportsOf(query): @unchecked
    assert(before.rowsRead.isEmpty && before.rowGroupsRead.isEmpty)
    val _ = query.collect()
    val Seq(after) = reportsOf(query): @unchecked
    assert(after.rowsRead.contains(3L) && after.rowGroupsRead.contains(1L))
  }

  test("a LIMIT that is not covered is described with its reason, and with the rows to read") {
    val Seq(report) = reportsOf(Wildlife.query(wildlife, limit = 4)): @unchecked
    assert(!report.covered && report.limit.contains(4) && !report.rowFilterSkipped)
    assert(report.reason.map(_.code).contains("not-enough-rows"))
    assert(report.reason.get.message.contains("hold 3 rows, the LIMIT needs 4"))
    assert(report.rowGroups.contains(RowGroupCounts(4, 3, 1, Some(3))))
    assert(report.files.map(_.copy(footersCached = 0, bytes = 0)).contains(FileCounts(1, 1, 0, Some(1), 0)))
    assert(report.rowsToRead.contains(9L) && report.bytesToRead.exists(_ > 0) && report.rowsRead.isEmpty)
  }

  test("a LIMIT that is not pruned is described with its reason and the inspected files") {
    val Seq(report) = reportsOf(wildlife.where("s % 2 = 0").limit(1)): @unchecked
    assert(!report.covered && report.limit.contains(1) && !report.rowFilterSkipped)
    assert(report.reason.map(_.code).contains("not-enough-rows"))
    assert(report.rowGroups.contains(RowGroupCounts(4, 4, 0, None)))
    assert(report.files.map(_.copy(footersCached = 0, bytes = 0)).contains(FileCounts(1, 1, 0, None, 0)))
    assert(report.rowsToRead.isEmpty && report.bytesToRead.isEmpty && report.rowsRead.isEmpty)
  }

  test("footers that an earlier query cached are counted") {
    val table = tableOf("kept", "0.parquet" -> ParquetFixture("required int32 a;").rowGroup(Seq(1)))
    def kept = reportsOf(table.limit(1)).flatMap(_.files).map(_.footersCached)
    assert(kept == Seq(0))
    assert(kept == Seq(1))
  }

  test("the physical plan is traversed once, however many LIMITs there are") {
    def traversals(limits: Int) = {
      val union = (1 to limits).map(n => wildlife.where(s"s BETWEEN 50 AND ${1000 + n}").limit(2)).reduce(
        _ union _
      )
      val physical = new WatchedNode
      assert(DescribeQuery.of(optimized(union), physical, mostRowGroups = 0).limits.count(_.covered) ==
        limits)
      physical.traversals
    }
    assert(traversals(limits = 1) > 0)
    assert(traversals(limits = 3) == traversals(limits = 1))
  }

  test("every LIMIT over Parquet is described, in the order of the plan") {
    val union = Wildlife.query(wildlife).union(wildlife.where("s > 1").select("species").limit(2))
    assert(reportsOf(union).map(_.limit) == Seq(Some(3), Some(2)))
  }

  test("line 39: LIMITs in subqueries are described") {
    wildlife.createOrReplaceTempView("wildlife")
    val query = spark.sql("SELECT 1 WHERE EXISTS (SELECT * FROM wildlife WHERE s >= 76)")
    val Seq(report) = reportsOf(query): @unchecked
    assert(report.limit.contains(1) && report.covered)
    val _ = query.collect()
    assert(reportsOf(query).head.rowGroupsRead.contains(1L))
  }

  test("queries without a LIMIT over Parquet have an empty report") {
    assert(reportsOf(wildlife.where("s > 1")) == Nil)
    assert(reportsOf(spark.range(9).toDF().limit(2)) == Nil)
    assert(reportsOf(wildlife.limit(0)) == Nil)
  }

  test("a table of the catalog has its name") {
    try {
      wildlife.write.saveAsTable("named")
      assert(reportsOf(spark.table("named").limit(1)).map(_.table) == Seq("spark_catalog.default.named"))
    } finally { val _ = spark.sql("DROP TABLE IF EXISTS named") }
  }

  test("a command is described by the query in it, after it has run") {
    try {
      wildlife.createOrReplaceTempView("wildlife")
      spark.sql("CREATE TABLE made (species STRING) USING parquet")
      val command = spark.sql("INSERT INTO made SELECT species FROM wildlife WHERE s >= 76 LIMIT 3")
      val Seq(report) = reportsOf(command): @unchecked
      assert(report.covered && report.rowsRead.contains(3L))
      assert(spark.table("made").count() == 3)
    } finally { val _ = spark.sql("DROP TABLE IF EXISTS made") }
  }

  /** The reason if the strategy had planned another node than ours for the only LIMIT of the query. */
  private def reasonIf(query: => DataFrame)(planned: FileSourceScanExec => SparkPlan): Option[Reason] = {
    val Seq(plain) = collect(withoutPruning(this.planned(query))) { case scan: FileSourceScanExec =>
      scan
    }: @unchecked
    val logical = optimized(query)
    val Seq(original) = logical.collect {
      case SelectedRelation(_, index) => index.original
      case UndecidedRelation(_, index) => index.original
    }: @unchecked
    val physical = this.planned(query).transformUp { case _: LimitPrunedScanExec | _: ChooseWhenRunExec =>
      planned(over(plain, original))
    }
    val Seq(report) = DescribeQuery.of(logical, physical, mostRowGroups = 0).limits: @unchecked
    report.reason
  }

  private def over(scan: FileSourceScanExec, index: FileIndex): FileSourceScanExec =
    scan.copy(relation = scan.relation.copy(location = index)(scan.relation.sparkSession))

  for (atRoot <- Seq("true", "false"))
    test(s"a scan that was planned as without the extension: planned at the root $atRoot") {
      withConf(LimitPruningConf.AtRoot.key -> atRoot) {
        def query = wildlife.select("species").limit(3)
        assert(reasonIf(query)(identity).contains(Reason.FiltersChanged))
        assert(reasonIf(query)(new WiderScan(_)).contains(Reason.UnknownField("FileSourceScanExec.example")))
        val removed = reasonIf(query)(scan => LocalTableScanExec(scan.output, Nil, None))
        assert(
          removed == (if (atRoot == "true") None else Some(Reason.AtRoot)),
          "nothing is known about a scan"
        )
      }
    }

  for (adaptive <- Seq("true", "false")) test(s"line 43: under a shuffle, with adaptive execution $adaptive") {
    withConf("spark.sql.adaptive.enabled" -> adaptive) {
      val query = Wildlife.query(wildlife).groupBy("species").count()
      assert(query.collect().length == 3)
      val Seq(report) = reportsOf(query): @unchecked
      assert(report.covered && report.rowsRead.contains(3L))
    }
  }
}

private object DescribeQuerySuite {

  /** Counts how often a plan with this node is traversed. */
  final class WatchedNode extends LeafExecNode {
    var traversals = 0
    override def output: Seq[Attribute] = Nil
    override def subqueries: Seq[SparkPlan] = {
      traversals += 1
      Nil
    }
    override protected def doExecute(): RDD[InternalRow] = throw new UnsupportedOperationException
    override def productArity: Int = 0
    override def productElement(n: Int): Any = throw new IndexOutOfBoundsException
    override def canEqual(that: Any): Boolean = that.isInstanceOf[WatchedNode]
  }

  /** The scan of a newer Spark. */
  final class WiderScan(of: FileSourceScanExec) extends FileSourceScanExec(
        of.relation,
        of.stream,
        of.output,
        of.requiredSchema,
        of.partitionFilters,
        of.optionalBucketSet,
        of.optionalNumCoalescedBuckets,
        of.dataFilters,
        of.tableIdentifier,
        of.disableBucketedScan
      ) {
    override def productElementNames: Iterator[String] = super.productElementNames ++ Iterator("example")
  }
}
