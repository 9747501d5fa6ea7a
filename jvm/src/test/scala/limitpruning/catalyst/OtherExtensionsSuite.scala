package limitpruning.catalyst

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, EqualTo, Literal, Remainder}
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.{SparkSession => ClassicSession, Strategy}
import org.apache.spark.sql.execution.{ColumnarRule, FileSourceScanExec, LeafExecNode, SparkPlan}
import org.apache.spark.sql.execution.datasources.{
  FileSourceStrategy, HadoopFsRelation, LogicalRelationWithTable
}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.catalyst.OtherExtensionsSuite._
import limitpruning.conf.LimitPruningConf
import limitpruning.report.{DescribeQuery, LimitReport}
import limitpruning.scan.LimitPrunedScanExec
import limitpruning.select.Reason
import limitpruning.tables.SelectedFileIndex
import limitpruning.testing.{ParquetFixture, SparkSuite}

/** Results stay correct if another extension plans the selected relation first, or replaces Spark's scan. */
class OtherExtensionsSuite extends AnyFunSuite with SparkSuite {
  private lazy val path = {
    for (day <- 1 to 4; file <- 0 to 1) {
      val rowGroups = (0 until 3).foldLeft(ParquetFixture("optional int32 a; optional int32 b;")) { (f, i) =>
        val rows = (0 until 10).map(row => Seq[Any](file * 30 + i * 10 + row, row))
        f.rowGroup(rows: _*)
      }
      rowGroups.write(pathOf(s"others/day=$day/$file.parquet"))
    }
    pathOf("others").toString
  }

  /** A session of the same application, in which the other extension runs before the one under test. */
  private def sessionWith(other: SparkSessionExtensions => Unit): ClassicSession = {
    val own = spark
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    try SparkSession.builder().withExtensions(other).getOrCreate().asInstanceOf[ClassicSession]
    finally {
      SparkSession.setActiveSession(own)
      SparkSession.setDefaultSession(own)
    }
  }

  private val queries = Seq(
    "SELECT * FROM t LIMIT 7",
    "SELECT * FROM t WHERE a >= 20 LIMIT 45",
    "SELECT * FROM t WHERE a >= 20 LIMIT 25 OFFSET 55",
    "SELECT * FROM t WHERE a >= 20 AND day = 3 LIMIT 25",
    "SELECT * FROM t WHERE DAY > 1 AND a % 7 = 3 AND a >= 30 LIMIT 9",
    "SELECT day, a FROM t WHERE day IN (2, 4) AND b > 4 ORDER BY a DESC, day LIMIT 6",
    "SELECT a FROM t WHERE day = (SELECT max(day) FROM t) AND a >= 20 LIMIT 5"
  )

  /**
   * Compares the results of a session with those without pruning.
   *
   * @return the physical plans
   */
  private def hold(session: ClassicSession): Seq[SparkPlan] = {
    session.read.parquet(path).createOrReplaceTempView("t")
    queries.map { query =>
      val pruned = session.sql(query)
      val found = pruned.collect().toSeq
      session.conf.set(LimitPruningConf.Enabled.key, "false")
      val (all, limited) =
        try
          (session.sql(query.replaceAll(" LIMIT .*", "")).collect().toSeq, session.sql(query).collect().toSeq)
        finally session.conf.unset(LimitPruningConf.Enabled.key)
      assert(found.size == limited.size, query)
      if (query.contains("ORDER BY")) assert(found == limited, query)
      assert(found.diff(all) == Nil, query)
      pruned.queryExecution.executedPlan
    }
  }

  private def nodes[T](plans: Seq[SparkPlan])(pick: PartialFunction[SparkPlan, T]): Seq[T] =
    plans.flatMap(collectWithSubqueries(_)(pick))

  test("a strategy that plans every scan first gives correct results from the selected files") {
    val plans = hold(sessionWith(_.injectPlannerStrategy(_ => TakesEveryScan)))
    assert(nodes(plans) { case scan: LimitPrunedScanExec => scan } == Nil)
    val selected = nodes(plans) { case scan: FileSourceScanExec => scan.relation.location }
      .collect { case index: SelectedFileIndex => index }
    assert(selected.size >= 3)
  }

  /** Checks that a query applies a filter that a rule adds to its plan after the selection. */
  private def holdWithSevens(session: ClassicSession): Assertion = {
    session.read.parquet(path).createOrReplaceTempView("t")
    session.experimental.extraOptimizations = Seq(KeepsSevens)
    try {
      for (offset <- Seq(5, 20, 30, 34, 37, 40, 60, 300)) {
        val query = s"SELECT * FROM t WHERE a >= 20 LIMIT 9 OFFSET $offset"
        val found = session.sql(query).collect()
        session.conf.set(LimitPruningConf.Enabled.key, "false")
        val plain =
          try session.sql(query).collect()
          finally session.conf.unset(LimitPruningConf.Enabled.key)
        assert(found.length == plain.length && found.forall(_.getInt(0) % 7 == 0), query)
      }
      val rows = session.sql("SELECT * FROM t WHERE a >= 20 LIMIT 15").collect().toSeq
      assert(rows.size == 15 && rows.forall(_.getInt(0) % 7 == 0), rows)
    } finally session.experimental.extraOptimizations = Nil
  }

  test("a strategy that runs first sees all files if a rule adds a filter after the selection") {
    holdWithSevens(sessionWith(_.injectPlannerStrategy(_ => TakesEveryScan)))
  }

  test("the extension's strategy also reads all files if a rule adds a filter after the selection") {
    holdWithSevens(sessionWith(_ => ()))
  }

  test("a rule that replaces Spark's scan finds it only if whole files are selected") {
    val session = sessionWith(_.injectColumnar(_ => ReplacesScans))
    val plans = hold(session)
    val native = nodes(plans) { case scan: NativeScan => scan.scan.relation.location }
    val ours = nodes(plans) { case scan: LimitPrunedScanExec => scan.chosen.selection }
    assert(native.exists(_.isInstanceOf[SelectedFileIndex]), "Spark's node reads selections of whole files")
    assert(ours.nonEmpty && ours.forall(!_.isOfWholeFiles), "the extension's node reads row groups")
  }

  test("a report says that another scan reads the selected files whole") {
    val session = sessionWith(_.injectColumnar(_ => ReplacesScans))
    session.conf.set(LimitPruningConf.FileScan.key, "always")
    session.read.parquet(path).createOrReplaceTempView("t")
    val Seq(part) = reportsOf(session, "SELECT * FROM t WHERE a BETWEEN 20 AND 29 LIMIT 3"): @unchecked
    assert(part.covered && part.files.flatMap(_.scanned).contains(1))
    assert(part.noPageSkipping.contains("whole files are read: spark.limitPruning.fileScan is always"))
    assert(part.rowsToRead.isEmpty && part.rowRanges.isEmpty && part.rowsCut.isEmpty &&
      part.bytesToRead.isEmpty)
    val Seq(whole) = reportsOf(session, "SELECT * FROM t WHERE day = 3 LIMIT 60"): @unchecked
    assert(whole.files.flatMap(_.scanned).contains(2) && whole.rowsToRead.contains(60L))
    val Seq(narrowed) = reportsOf(session, "SELECT * FROM t WHERE a > 54 AND a % 7 = 3 LIMIT 9"): @unchecked
    assert(narrowed.isNarrowed && narrowed.rowsToRead.isEmpty)
    // The rest of the query reads the table's own index.
    val Seq(joined) =
      reportsOf(session, "SELECT * FROM (SELECT * FROM t WHERE a >= 20 LIMIT 3) JOIN t USING (a)"): @unchecked
    assert(joined.covered && joined.files.flatMap(_.scanned).contains(1))
  }

  test("a report says that the scan of an engine reads the whole table if filters have changed") {
    val session = sessionWith(_.injectColumnar(_ => ReplacesScans))
    session.conf.set(LimitPruningConf.FileScan.key, "always")
    session.read.parquet(path).createOrReplaceTempView("t")
    session.experimental.extraOptimizations = Seq(KeepsSevens)
    try {
      val Seq(report) = reportsOf(session, "SELECT * FROM t WHERE a >= 20 LIMIT 9"): @unchecked
      assert(report.reason.contains(Reason.FiltersChanged) && report.files.forall(_.scanned.isEmpty))
    } finally session.experimental.extraOptimizations = Nil
  }

  private def reportsOf(session: ClassicSession, query: String): Seq[LimitReport] =
    DescribeQuery(session.sql(query).queryExecution, mostRowGroups = 0).limits

  test("spark.limitPruning.fileScan overrides the choice by active rules") {
    val session = sessionWith(_.injectColumnar(_ => ReplacesScans))
    session.conf.set(LimitPruningConf.FileScan.key, "always")
    val always = hold(session)
    assert(nodes(always) { case scan: LimitPrunedScanExec => scan } == Nil)
    assert(nodes(always) { case scan: NativeScan => scan }.size >= queries.size)
    session.conf.set(LimitPruningConf.FileScan.key, "never")
    val never = hold(session)
    assert(nodes(never) { case scan: LimitPrunedScanExec => scan }.size >= 4)
  }
}

object OtherExtensionsSuite {

  object TakesEveryScan extends Strategy {
    override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
      case ScanOperation(_, _, _, LogicalRelationWithTable(_: HadoopFsRelation, _)) =>
        FileSourceStrategy(plan)
      case _ => Nil
    }
  }

  /** Adds a filter below each LIMIT, after the pruning rule. No rule of Spark does this. */
  object KeepsSevens extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
      case limit @ LocalLimit(_, child) if !child.exists(isKept) =>
        val a = child.output.find(_.name == "a").get
        limit.copy(child = Filter(kept(a), child))
    }

    private def kept(a: Attribute) = EqualTo(Remainder(a, Literal(7)), Literal(0))

    private def isKept(plan: LogicalPlan): Boolean = plan match {
      case Filter(condition, _) => condition.exists(_.isInstanceOf[Remainder])
      case _ => false
    }
  }

  object ReplacesScans extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = plan =>
      plan.transformUp { case scan: FileSourceScanExec => NativeScan(scan) }
  }

  /** Simulates the scan of a native engine. */
  final case class NativeScan(scan: FileSourceScanExec) extends LeafExecNode {
    override def output: Seq[Attribute] = scan.output
    override def supportsColumnar: Boolean = scan.supportsColumnar
    override protected def doExecute(): RDD[InternalRow] = scan.execute()
    override protected def doExecuteColumnar(): RDD[ColumnarBatch] = scan.executeColumnar()
  }
}
