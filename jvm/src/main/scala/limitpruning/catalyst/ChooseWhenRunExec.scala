package limitpruning.catalyst

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, SortOrder}
import org.apache.spark.sql.execution.{ExecSubqueryExpression, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.vectorized.ColumnarBatch

import limitpruning.conf.SparkSessions
import limitpruning.scan.{
  ColumnsReadFirst, HiddenRows, LimitPrunedScanExec, RunsLimitPrunedScan, ScanMetrics, SelectionRead
}
import limitpruning.search.{LimitPlan, NotPruned}
import limitpruning.select.Reason
import limitpruning.tables.WantedRows

/**
 * Chooses the rows for a LIMIT when the query runs: the values of the subqueries in its predicate are known then, and, at
 * the root of a query, the action. It then reads the chosen rows instead of its child; if the LIMIT is not pruned, it
 * returns what its child returns. All filters stay above it, so more rows than the chosen ones are never wrong.
 *
 * The choice is made once for an instance, on first execution. Thread-safe.
 *
 * @param conjuncts the predicate with its subqueries, which Spark runs before this node
 * @param limit rows that the LIMIT needs, with its OFFSET
 * @param order the sort keys, over the table's columns; empty if any rows that match will do
 * @param groups the keys of groups, over the table's columns: of each, the first rows are needed, and without an order, one row of any
 *   of them; empty if the LIMIT counts rows
 * @param choose makes the choice; none in a canonicalized plan, if the other fields determine it
 * @param child Spark's own scan
 */
case class ChooseWhenRunExec(
    conjuncts: Seq[Expression],
    limit: Int,
    order: Seq[SortOrder],
    groups: Seq[Expression],
    @transient choose: Option[ChooseWhenRun],
    child: SparkPlan
) extends ChoosesRows
    with RunsLimitPrunedScan {
  import ChooseWhenRunExec._

  override type Choice = Either[NotPruned, Chosen]

  override protected def wanted: Option[WantedRows] = choose.map(_.index.wanted)

  override lazy val metrics: Map[String, SQLMetric] = ScanMetrics.create(sparkContext)

  override def limitPrunedScan: Option[LimitPrunedScanExec] = choice.collect { case Right(chosen) =>
    chosen.scan
  }

  override protected def doExecute(): RDD[InternalRow] =
    decided.fold(_ => child.execute(), _.scan.execute())

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] =
    decided.fold(_ => child.executeColumnar(), _.scan.executeColumnar())

  override def chooseFirstRows(): Unit =
    if (wanted.exists(_.areAny)) {
      val _ = decided(decideFirstRows())
    }

  override protected def byMetadata: Option[SparkPlan] = foundByMetadata.map(_.fold(_ => child, _.scan))

  override def chooseWithoutRows(): Unit = foundByMetadata.foreach(decided(_))

  override protected def maySave(found: Int): Boolean = true

  // Operators above may send the plan to executors, and footers cannot be sent.
  @transient private lazy val foundByMetadata: Option[Choice] = for {
    searched <- wanted.flatMap(_.searched)
    scan <- Some(child).collect { case scan: FileSourceScanExec => scan }
    found = searched.fold(decision => matchingRowsOnly(scan, decision).toRight(decision), Right(_))
  } yield found.map(plan => Chosen(plan, scanOf(plan, scan)))

  /** Spark's own scan with all of the table, of which each task reads the columns of the predicate first. */
  private def matchingRowsOnly(scan: FileSourceScanExec, decision: NotPruned): Option[LimitPlan] = for {
    choose <- this.choose.filter(_.index.wanted.inFirstTask)
    if SelectionRead.isVectorized(scan) && !HiddenRows.areReadBy(scan) &&
      ColumnsReadFirst.of(scan, conjuncts).nonEmpty
    plan <- SparkSessions.withActive(choose.session) {
      choose.matchingRowsOnly(conjuncts, AttributeSet(output), conf, decision)
    }.toOption
  } yield plan

  private def decided: Choice = decided(decide())

  private def decideFirstRows(): Choice = (choose, child) match {
    case (Some(choose), scan: FileSourceScanExec) if choose.index.wanted.areAny =>
      SparkSessions.withActive(choose.session) {
        choose.firstRows(AttributeSet(output), conf).map(plan => Chosen(plan, scanOf(plan, scan)))
      }
    case _ => Left(notPruned)
  }

  private def decide(): Choice = (choose, child) match {
    case (Some(choose), scan: FileSourceScanExec) if hasSameSubqueries(scan) =>
      // The scan itself does not run, so nothing else fills in the values of the filters that it passes to the reader.
      scan.expressions.foreach(_.foreach {
        case subquery: ExecSubqueryExpression => subquery.updateResult()
        case _ => ()
      })
      SparkSessions.withActive(choose.session) {
        choose(
          conjuncts.map(ScalarSubqueries.withValues),
          AttributeSet(output),
          conf,
          SelectionRead.isVectorized(scan)
        )
          .filterOrElse(canBeRead(_, scan), notPruned)
          .map(plan => Chosen(plan, scanOf(plan, scan)))
      }
    case _ => Left(notPruned)
  }

  /**
   * Whether a scan can read chosen rows. A file with deleted rows counts for its rows less the deleted ones, wherever they
   * are. So a part of it may have too few of the rows that metadata prove to be enough.
   */
  private def canBeRead(plan: LimitPlan, scan: FileSourceScanExec): Boolean =
    !plan.rows.allRowsMatch || !HiddenRows.areReadBy(scan)

  /** Either Spark's scan waits for other subqueries, or another extension has replaced it. */
  private def notPruned: NotPruned = NotPruned(child match {
    case _: FileSourceScanExec => Reason.Subquery
    case other => Reason.NotSparksParquet(other.nodeName)
  })

  private def scanOf(plan: LimitPlan, scan: FileSourceScanExec): LimitPrunedScanExec = LimitPrunedScanExec(
    scan.output,
    scan,
    plan.rows,
    plan.settings,
    isOneTask = false,
    whileReading = plan.whileReading,
    shown = Some(metrics)
  )

  /**
   * Whether the filters of Spark's scan wait for the same runs of the subqueries. If Spark does not reuse the result of a
   * subquery, the filters above may have other values: `(SELECT id FROM t LIMIT 1)` may return another row in each run.
   */
  private def hasSameSubqueries(scan: FileSourceScanExec): Boolean = {
    val others = ScalarSubqueries.plansIn(scan.partitionFilters ++ scan.dataFilters)
    ScalarSubqueries.plansIn(conjuncts).forall(plan => others.exists(_ eq plan))
  }

  override def doCanonicalize(): SparkPlan = super.doCanonicalize() match {
    case node: ChooseWhenRunExec => node.copy(choose = choose.filter(_ => isCopied))
    case other => other
  }

  override protected def shown(maxFields: Int): String = choice match {
    case None if choose.exists(_.index.wanted.searched.nonEmpty) =>
      "Choice: when the query runs, by reading the columns of the predicate and of the keys first"
    case None if conjuncts.isEmpty && order.isEmpty => "Choice: when an action runs the query"
    case None if ScalarSubqueries.plansIn(conjuncts).isEmpty => "Choice: when the subquery runs"
    case None => "Choice: when the values of the subqueries are known"
    case Some(Left(notPruned)) => s"Choice: the scan below (${notPruned.reason.code})"
    case Some(Right(chosen)) if chosen.plan.rows.notCovered.contains(Reason.AtRoot) =>
      "Choice: the first rows of the files, task by task"
    case Some(Right(chosen)) if chosen.plan.whileReading.nonEmpty =>
      "Choice: task by task, by reading the columns of the predicate first"
    case Some(Right(chosen)) => s"Choice: ${chosen.scan.simpleString(maxFields)}"
  }

  override protected def withNewChildInternal(newChild: SparkPlan): ChooseWhenRunExec = copy(child = newChild)
}

object ChooseWhenRunExec {

  /** What to read, and the scan that reads it. */
  final case class Chosen(plan: LimitPlan, scan: LimitPrunedScanExec)
}
