package limitpruning.report

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Expression, IntegerLiteral}
import org.apache.spark.sql.catalyst.plans.logical.{CommandResult, LeafNode, LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.LIMIT
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.{FileSourceScanExec, QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.FileIndex
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import limitpruning.catalyst.{
  ChooseFilesWhenRunExec, ChooseWhenRunExec, MatchTopRows, NativeEngines, PlanLimitPrunedScan
}
import limitpruning.predicate.BriefSql
import limitpruning.scan.{FirstRows, LimitPrunedScanExec, MatchingRowsOnly, ScanMetrics, WhileReading}
import limitpruning.search.{InspectedRowGroups, LimitPlan, LimitedScan, NotPruned}
import limitpruning.select.{ChosenRows, Reason, SearchCounts}
import limitpruning.tables.{SelectedIndex, SelectedRelation, Tables, UndecidedIndex, UndecidedRelation}

/** Creates a report from a query's plans. The plans contain all decisions, so nothing is stored elsewhere. */
object DescribeQuery {
  private val nodes = new PhysicalNodes

  /**
   * Plans the query if that has not been done. Never runs it.
   *
   * @param mostRowGroups the maximum number of row groups that are described for each LIMIT
   */
  def apply(execution: QueryExecution, mostRowGroups: Int): PruningReport = {
    val (logical, physical) = execution.optimizedPlan match {
      case command: CommandResult =>
        (
          logicalOf(command.commandPhysicalPlan).getOrElse(command.commandLogicalPlan),
          command.commandPhysicalPlan
        )
      case query => (query, execution.executedPlan)
    }
    of(logical, physical, mostRowGroups)
  }

  /** @param logical the optimized plan from which the physical plan was created */
  def of(logical: LogicalPlan, physical: SparkPlan, mostRowGroups: Int): PruningReport = {
    val limits = logical.collectWithSubqueries { case limit: LocalLimit => limit }
    PruningReport(limits.flatMap(describe(_, physical, mostRowGroups)))
  }

  /**
   * The optimized plan with a LIMIT from which a physical plan was created. A command itself contains only
   * the plan before optimization.
   */
  def logicalOf(physical: SparkPlan): Option[LogicalPlan] =
    nodes.collectFirst(physical) {
      case node if node.logicalLink.exists(_.containsPattern(LIMIT)) => node.logicalLink
    }.flatten

  private def describe(limit: LocalLimit, physical: SparkPlan, most: Int): Option[LimitReport] = {
    def choosing = nodes.collectWithSubqueries(physical) { case node: ChooseFilesWhenRunExec => node }
    def isReadAsIs(scan: Scan) = nodes.collectWithSubqueries(physical) {
      case batch: BatchScanExec if batch.scan eq scan => batch
    }.nonEmpty
    DescribeFiles(limit, choosing, most)(isReadAsIs).orElse(describeRows(limit, physical, most))
  }

  private def describeRows(limit: LocalLimit, physical: SparkPlan, most: Int): Option[LimitReport] =
    MatchedLimit.of(limit).map {
      case Right(scan) => scan.table.leaf match {
          case SelectedRelation(relation, index) =>
            val session = relation.relation.sqlContext.sparkSession
            planned(limit, scan, index, session, physical, most)
          case UndecidedRelation(_, index) => whenRun(limit, scan, index, physical, most)
          case _ => notPruned(limit, tagged(limit).getOrElse(NotPruned(Reason.NotSeen, Some(scan))), most)
        }
      case Left(reason) => notPruned(limit, tagged(limit).getOrElse(NotPruned(reason)), most)
    }

  private def tagged(limit: LocalLimit): Option[NotPruned] = limit.getTagValue(NotPruned.Tag)

  private def planned(
      limit: LocalLimit,
      limited: LimitedScan,
      index: SelectedIndex,
      session: SparkSession,
      physical: SparkPlan,
      most: Int
  ): LimitReport = {
    val chosen = index.chosen
    val scan = nodes.collectWithSubqueries(physical) {
      case scan: LimitPrunedScanExec if scan.chosen.selection == chosen.selection => scan
    }.headOption
    val restored = if (scan.nonEmpty) None else whyRestored(physical, index.original)
    restored match {
      case Some(reason) =>
        val asChosen = limited.copy(conjuncts = chosen.conjuncts)
        val decision =
          NotPruned(reason, Some(asChosen), Some(chosen.counts), chosen.planningNanos, index.plan.inspected)
        notPruned(limit, decision, most)
      case None =>
        def wholeFiles = NativeEngines.reasonForFileScan(session, index)
          .map(reason => s"whole files are read: $reason")
        selected(limited, index.plan, scan, scan.fold(wholeFiles)(_.noPageSkipping), most)
    }
  }

  /** Why the strategy planned Spark's own scan, over the table's own index; none if the plan has no such scan. */
  private def whyRestored(physical: SparkPlan, original: FileIndex): Option[Reason] =
    nodes.collectWithSubqueries(physical) {
      case scan: FileSourceScanExec if scan.relation.location eq original =>
        PlanLimitPrunedScan.unknownField(scan).fold[Reason](Reason.FiltersChanged)(Reason.UnknownField(_))
    }.headOption

  /** A LIMIT whose rows are chosen when the query runs. Of the nodes that choose, one that has run is described. */
  private def whenRun(
      limit: LocalLimit,
      limited: LimitedScan,
      index: UndecidedIndex,
      physical: SparkPlan,
      most: Int
  ): LimitReport = {
    val nodes = this.nodes.collectWithSubqueries(physical) {
      case node: ChooseWhenRunExec if node.choose.exists(_.index eq index) => node
    }
    nodes.flatMap(_.choice).headOption match {
      case Some(Right(chosen)) if chosen.plan.whileReading.exists(ofAnyFile) =>
        taken(limit, limited, chosen, most)
      case Some(Right(chosen)) =>
        val report = selected(limited, chosen.plan, Some(chosen.scan), chosen.scan.noPageSkipping, most)
        report.copy(order = report.order.orElse(orderOf(limit)))
      case Some(Left(decision)) =>
        notPruned(limit, decision.copy(scan = decision.scan.orElse(Some(limited))), most)
      case None =>
        // A plan with neither has not come to run: Spark removes a scan if another part of the query has no rows.
        val restored = if (nodes.isEmpty) whyRestored(physical, index.original) else None
        val searched = index.wanted.searched
        val waiting =
          if (index.wanted.areAny) Reason.AtRoot
          else searched.fold[Reason](Reason.DecidedWhenRun)(found =>
            Reason.DecidedByRows(found.fold(decision => Some(decision.reason), _.rows.notCovered))
          )
        val decision =
          searched.map(_.fold(identity, undecided(limited, _))).getOrElse(NotPruned(waiting, Some(limited)))
        notPruned(limit, decision.copy(reason = restored.getOrElse(waiting)), most)
    }
  }

  private def undecided(limited: LimitedScan, plan: LimitPlan): NotPruned = NotPruned(
    Reason.DecidedWhenRun,
    Some(limited),
    Some(plan.rows.counts),
    plan.rows.planningNanos,
    plan.inspected
  )

  private def ofAnyFile(whileReading: WhileReading): Boolean = whileReading match {
    case _: FirstRows | _: MatchingRowsOnly => true
    case _ => false
  }

  /**
   * A LIMIT at the root, whose rows an action has taken. Nothing was selected: its tasks read the first rows of files, or the
   * first that match.
   */
  private def taken(
      limit: LocalLimit,
      limited: LimitedScan,
      chosen: ChooseWhenRunExec.Chosen,
      most: Int
  ): LimitReport = {
    val metrics = chosen.scan.metrics
    val plan = chosen.plan
    val rows = plan.rows
    val decision = NotPruned(
      rows.notCovered.getOrElse(Reason.AtRoot),
      Some(limited),
      Some(rows.counts),
      rows.planningNanos,
      plan.inspected
    )
    val report = notPruned(limit, decision, most)
    val isFiltered = rows.conjuncts.nonEmpty
    def ofColumnsFirst(name: String) = if (isFiltered) Some(metrics(name).value) else None
    report.copy(
      rowGroups = report.rowGroups.filter(_ => isFiltered),
      rowsVerified = ofColumnsFirst(ScanMetrics.RowsVerified),
      bytesReadFirst = ofColumnsFirst(ScanMetrics.BytesReadFirst),
      noPageSkipping = chosen.scan.noPageSkipping,
      rowsRead = Some(metrics(ScanMetrics.OutputRows).value),
      rowGroupsRead = Some(metrics(ScanMetrics.RowGroupsRead).value),
      bytesRead = Some(metrics(ScanMetrics.BytesRead).value)
    )
  }

  private def selected(
      limited: LimitedScan,
      plan: LimitPlan,
      scan: Option[LimitPrunedScanExec],
      noPageSkipping: Option[String],
      most: Int
  ): LimitReport = {
    val chosen = plan.rows
    val hasRun = scan.exists(node => ScanMetrics.hasRun(node.metrics))
    val order = chosen.top.map { top =>
      OrderReport(top.key, top.threshold, Some(top.rowsCertain), Some(top.rowGroupsDropped))
    }
    val reserve = chosen.selection.reserve
    def measured(name: String): Option[Long] = scan.filter(_ => hasRun).map(_.metrics(name).value)
    LimitReport(
      table = limited.table.name,
      limit = Some(chosen.limit),
      order = order,
      predicate = predicate(chosen.conjuncts),
      reason = chosen.notCovered,
      rowGroups = Some(
        rowGroups(chosen.counts, Some(chosen.selection.rowGroups)).copy(reserve = reserve.map(_.rowGroups))
      ),
      files = Some(
        files(chosen.counts, Some(chosen.selection.listed.size)).copy(reserve = reserve.map(_.unseen.size))
      ),
      planningMs = Some(millis(chosen.planningNanos)),
      rowsToRead = Some(chosen.selection.rows),
      rowRanges = Some(chosen.selection.rowRanges),
      rowsCut = Some(chosen.selection.rowsCut),
      pagesSkipped = scan.map(_.pagesSkipped),
      noPageSkipping = noPageSkipping,
      rowsVerified = chosen.verified.map(_.rows),
      // The rows are found once, and Spark resets metrics before each run of the same plan.
      bytesReadFirst = chosen.verified.flatMap(_ => measured(ScanMetrics.BytesReadFirst)),
      bytesToRead = scan.map(_.bytesToRead),
      rowFilterSkipped = scan.exists(_.skipsRowFilter),
      rowsRead = measured(ScanMetrics.OutputRows),
      rowGroupsRead = measured(ScanMetrics.RowGroupsRead),
      rowGroupsSkipped = measured(ScanMetrics.RowGroupsSkipped),
      bytesRead = measured(ScanMetrics.BytesRead),
      map = map(plan.inspected, most, Some(chosen))
    )
  }

  private def notPruned(limit: LocalLimit, decision: NotPruned, most: Int): LimitReport = LimitReport(
    table = decision.scan.map(_.table.name).orElse(firstName(limit)).getOrElse(""),
    limit = IntegerLiteral.unapply(limit.limitExpr),
    order = orderOf(limit).orElse(DescribeFiles.orderOf(limit)),
    predicate = decision.scan.flatMap(scan => predicate(scan.conjuncts)),
    reason = Some(decision.reason),
    rowGroups = decision.counts.map(rowGroups(_, None)),
    files = decision.counts.map(files(_, None)),
    planningMs = if (decision.planningNanos > 0) Some(millis(decision.planningNanos)) else None,
    map = map(decision.inspected, most)
  )

  private def orderOf(limit: LocalLimit): Option[OrderReport] =
    MatchTopRows.of(limit).flatMap(_.toOption).map(top => OrderReport(top.key.sql, None, None, None))

  private def firstName(plan: LogicalPlan): Option[String] =
    plan.collect { case leaf: LeafNode => Tables.nameOf(leaf) }.flatten.headOption

  private def predicate(conjuncts: Seq[Expression]): Option[String] =
    if (conjuncts.isEmpty) None else Some(BriefSql.and(conjuncts))

  private def rowGroups(counts: SearchCounts, scanned: Option[Int]): RowGroupCounts =
    RowGroupCounts(counts.rowGroups, counts.matched, counts.fullyMatched, scanned)

  private def files(counts: SearchCounts, scanned: Option[Int]): FileCounts =
    FileCounts(
      counts.files,
      counts.filesInspected,
      counts.footersCached,
      scanned,
      counts.bytes,
      counts.filesPrunedByLog
    )

  private def map(
      inspected: Option[InspectedRowGroups],
      most: Int,
      chosen: Option[ChosenRows] = None
  ): RowGroupMap = inspected
    .filter(_ => most > 0)
    .flatMap { known =>
      known.map { (files, classify) =>
        val described = new DescribeRowGroups(
          classify,
          chosen.map(_.selection),
          chosen.flatMap(_.top).flatMap(_.threshold),
          chosen.flatMap(_.verified)
        )(files, most)
        described.copy(omitted = described.omitted + known.omitted)
      }
    }
    .getOrElse(RowGroupMap.Empty)

  private def millis(nanos: Long): Double = nanos / 1e6
}

/**
 * Traverses a physical plan with Spark's own helper, through adaptive execution, subqueries and reused
 * exchanges. This is a class, because an object would have a static method for each method of the helper, and
 * these methods differ between minor versions of Spark.
 */
private[report] class PhysicalNodes extends AdaptiveSparkPlanHelper {

  override protected def allChildren(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case reused: ReusedExchangeExec => Seq(reused.child)
    case other => super.allChildren(other)
  }
}
