package limitpruning.report

import org.apache.spark.sql.catalyst.expressions.{Expression, IntegerLiteral}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LocalLimit, LogicalPlan}

import limitpruning.catalyst.{ChooseWhenRunExec, MatchLimit, MatchTopRows}
import limitpruning.predicate.BriefSql
import limitpruning.scan.{LimitPrunedScanExec, ScanMetrics}
import limitpruning.search.{InspectedRowGroups, LimitPlan, LimitedScan, NotPruned, Table}
import limitpruning.select.{ChosenRows, Reason, SearchCounts}
import limitpruning.tables.{Iceberg, Tables}

/** Makes the report on one LIMIT from what was decided about it. */
private[report] object DescribeDecision {

  /**
   * A LIMIT at the root, whose rows an action has taken. Nothing was selected: its tasks read the first rows of files, or the
   * first that match.
   */
  def taken(
      limit: LocalLimit,
      limited: LimitedScan[Table],
      chosen: ChooseWhenRunExec.Chosen,
      most: Int
  ): LimitReport = {
    val metrics = chosen.scan.metrics
    val plan = chosen.plan
    val rows = plan.rows
    val reason = rows.notCovered.getOrElse(Reason.AtRoot)
    val report = notPruned(limit, undecided(reason, limited, plan), most)
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

  /** A LIMIT that is not pruned, for a reason that came up after a search had chosen what to read. */
  def undecided(reason: Reason, limited: LimitedScan[Table], plan: LimitPlan): NotPruned =
    NotPruned(reason, Some(limited), Some(plan.rows.counts), plan.rows.planningNanos, plan.inspected)

  def selected(
      limited: LimitedScan[Table],
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
      rowsSkipped = Some(chosen.skipped.rows),
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

  def notPruned(limit: LocalLimit, decision: NotPruned, most: Int): LimitReport = {
    val table = decision.scan.map(_.table.name).orElse(firstName(limit)).getOrElse("")
    notPruned(limit, table, decision.scan.toSeq.flatMap(_.conjuncts), decision.reason).copy(
      rowGroups = decision.counts.map(rowGroups(_, None)),
      files = decision.counts.map(files(_, None)),
      planningMs = if (decision.planningNanos > 0) Some(millis(decision.planningNanos)) else None,
      map = map(decision.inspected, most)
    )
  }

  /** A LIMIT that is not pruned, without what the search found. */
  def notPruned(limit: LocalLimit, table: String, conjuncts: Seq[Expression], reason: Reason): LimitReport =
    LimitReport(
      table = table,
      limit = IntegerLiteral.unapply(limit.limitExpr),
      order = orderOf(limit),
      predicate = predicate(conjuncts),
      reason = Some(reason),
      rowGroups = None,
      files = None,
      planningMs = None
    )

  /** The first sort key of a LIMIT over Parquet or Iceberg that is not pruned. */
  def orderOf(limit: LocalLimit): Option[OrderReport] = {
    def ofIceberg = MatchTopRows.over(
      limit,
      throughJoins = true
    )(MatchLimit.over[Unit](_)(Iceberg.relation)).flatMap(_.toOption)
    MatchTopRows.of(limit).flatMap(_.toOption).map(_.order.first).orElse(ofIceberg.map(_.order.first))
      .map(key => OrderReport(key.sql, None, None, None))
  }

  private def firstName(plan: LogicalPlan): Option[String] =
    plan.collect { case leaf: LeafNode => Tables.nameOf(leaf) }.flatten.headOption

  def predicate(conjuncts: Seq[Expression]): Option[String] =
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
