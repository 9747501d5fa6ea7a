package limitpruning.catalyst

import scala.concurrent.duration.Deadline

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LocalLimit, LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.trees.TreePattern.{AGGREGATE, LIMIT, PLAN_EXPRESSION}

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.BusyExecutors
import limitpruning.rows.{GroupsOfFilesPay, RowsOfFilesPay}
import limitpruning.search.{
  ChosenFiles, LimitedScan, MinMaxScan, NotPruned, ReadableTable, SortKeys, UnprovedForm
}
import limitpruning.select.Reason
import limitpruning.tables.{Iceberg, UndecidedScan, WantedFiles, WantedRows}

/**
 * Replaces the scan of an Iceberg table below a LIMIT by a scan of chosen files and row groups. These are proved to contain
 * enough rows or, with ORDER BY, the first rows. All filters, the ORDER BY and the LIMIT stay in the plan. If nothing can be
 * skipped, nothing changes, and the LIMIT gets a tag with the reason. A MIN or MAX without GROUP BY is the first row in an order,
 * and is pruned like it.
 *
 * Spark makes the scans of data source V2 after its pre-CBO rules, so this is one of the [[LateRules]]. They also come after
 * the rules that add runtime filters.
 */
final case class PruneV2Limits(override val session: SparkSession, override val state: PlanningState)
    extends Rule[LogicalPlan]
    with PrunesLimits {
  import PruneV2Limits._

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(LimitPruningConf.Enabled)) plan
    else {
      // Of other tables, PruneLateLimits has just done the same.
      val isLimited = plan.containsPattern(LIMIT) && plan.exists(Iceberg.relation(_).nonEmpty)
      val hasMinMax = plan.containsAnyPattern(AGGREGATE, PLAN_EXPRESSION) && !mayBeMergedTwice(plan) &&
        FailOpen(state, conf)(PruneMinMax.isIn(plan, conf, isOverIceberg))(_ => false)
      if (isLimited || hasMinMax) prune(plan, isLimited, hasMinMax) else plan
    }

  private def prune(plan: LogicalPlan, isLimited: Boolean, hasMinMax: Boolean): LogicalPlan = {
    val (restored, leftAlone) = leaveAlone(plan, RecursiveDefinitions.restoredIn)(isOpen)
    val pruned = if (isLimited) pruneLimits(restored, leftAlone) else restored
    if (hasMinMax) FailOpen(state, conf)(pruneMinMax(pruned))(_ => pruned) else pruned
  }

  private def pruneLimits(plan: LogicalPlan, leftAlone: LeftAlone): LogicalPlan =
    eachLimit(plan) { (limit, isRoot, offset) =>
      // PruneLimits may have decided about a table of another source, on the preserved side of a join.
      if (isDecided(limit) || isDecidedBelow(limit.child) || isOver(limit)(Iceberg.isDecided)) limit
      else pruneOrTag(limit)(leftAlone.orElse(limit)(decide(limit, isRoot, offset)))
    }

  /**
   * An aggregate for which a LIMIT waits is left alone: the LIMIT compares its predicate, with the subqueries, with that of the
   * plan when the query runs.
   */
  private def pruneMinMax(plan: LogicalPlan): LogicalPlan =
    PruneMinMax.in(plan, conf, ifWaited = _ => false)(minMax)

  private def isOverIceberg(aggregate: Aggregate): Boolean =
    aggregate.collectLeaves().exists(Iceberg.isUnchosen)

  /** The aggregate over the files and row groups of all its orders; `None` if it is not pruned, or if little is skipped. */
  private def minMax(aggregate: Aggregate): Option[LogicalPlan] =
    if (isDecided(aggregate)) None
    else for {
      matched <- MatchMinMax.over(aggregate)(over)
      _ = aggregate.setTagValue(Decided, aggregate.child)
      orders <- matched.toOption
      scan = orders.head.scan
      keys = orders.map(_.order.first)
      chosen <- new SearchManifests(conf)
        .rows(scan, keys, Some(MinMaxScan.LeastSkipped)).toOption
      if MinMaxScan.pays(chosen.files.iterator.map(_.bytes).sum, chosen.counts.bytes)
    } yield scan.table.read(aggregate, chosen)

  private def isDecided(node: UnaryNode): Boolean = node.getTagValue(Decided).exists(_ eq node.child)

  private def isOpen(limit: LocalLimit): Boolean =
    !isDecided(limit) && isOver(limit)(Iceberg.isUnchosen)

  private def isOver(limit: LocalLimit)(isTable: LogicalPlan => Boolean): Boolean =
    CopiedLimits.leafBelow(limit.child).exists(isTable)

  private def decide(
      limit: LocalLimit,
      isRoot: Boolean,
      offset: Int
  ): Option[Either[NotPruned, LogicalPlan]] = {
    def rows(scan: Limited, order: Option[SortKeys], isJoined: Boolean): Search = { search =>
      val searched = search.rows(scan.copy(offset = offset), order.toSeq.map(_.first))
      byRows(scan, order, isJoined, searched, isRoot, search.deadline).map(Right(_))
        .getOrElse(searched.map(chosen => scan.table.read(_: LogicalPlan, chosen)))
    }
    def groups(of: MatchGroups.Groups[Limited]): Search = { search =>
      val searched = search.groups(of)
      groupsByRows(of, searched, search.deadline).map(Right(_))
        .getOrElse(searched.map(chosen => of.scan.table.read(_: LogicalPlan, chosen)))
    }
    val found = MatchTopRows.over(limit, throughJoins = true)(over)
      .map(_.map(top => rows(top.scan, Some(top.order), top.isJoined)))
      .orElse(MatchGroups.over(limit)(over)(_.table.partitionColumns).map(_.map(groups(_))))
      .orElse(over(limit).map(_.map(rows(_, None, isJoined = false))))
    found.map { matched =>
      // Spark runs the rule until the plan does not change. A decision needs manifests, so it is made only once.
      limit.setTagValue(Decided, limit.child)
      // Copies of the preserved side in runtime filters exist by now, and stay as they are, except in a correlated subquery. Spark
      // copies its plan afterwards, with what is chosen.
      val read = matched.flatMap(search => search(new SearchManifests(conf)))
      read.map(OuterJoin.changePreserved(limit)).left.map(NotPruned(_))
    }
  }

  /**
   * If metadata do not cover the LIMIT, its rows may be found by reading columns when the query runs.
   *
   * @return changes a plan so that the rows of the scan are chosen when the query runs; none if this does not pay
   */
  private def byRows(
      scan: Limited,
      order: Option[SortKeys],
      isJoined: Boolean,
      searched: Either[Reason, ChosenFiles],
      isRoot: Boolean,
      deadline: Deadline
  ): Option[LogicalPlan => LogicalPlan] = {
    val minBytes = conf.getConf(LimitPruningConf.RowsMinBytes)
    def saved = RowsOfFilesPay(
      scan,
      order.toSeq.flatMap(_.all),
      searched,
      minBytes,
      session.sparkContext.defaultParallelism,
      conf.filesMaxPartitionBytes,
      deadline
    )
    for (bytes <- if (NativeEngines.reasonForChild(session).isEmpty) saved else None) yield {
      val rows = WantedRows(scan.limit, scan.conjuncts, order, None, bytes, isRoot)
        .copy(ofCopies = if (isJoined) Some(scan.needed) else None)
      scan.table.replaceScan(_)(new UndecidedScan(
        _,
        scan.table.output,
        WantedFiles(rows, scan.table, searched)
      ))
    }
  }

  /**
   * If metadata find too few groups, and a group consists of its keys, rows of enough groups may be found by reading columns when the
   * query runs.
   *
   * @return as of `byRows`
   */
  private def groupsByRows(
      of: MatchGroups.Groups[Limited],
      searched: Either[Reason, ChosenFiles],
      deadline: Deadline
  ): Option[LogicalPlan => LogicalPlan] = {
    val scan = of.scan
    def form = UnprovedForm.of(
      scan.conjuncts ++ of.keys,
      Seq(scan.limit.toString, conf.sessionLocalTimeZone, conf.ansiEnabled.toString),
      state.facts.unprovedSamples
    )
    def pays = GroupsOfFilesPay(
      scan,
      of.keys,
      searched,
      conf.getConf(LimitPruningConf.RowsMinBytes),
      session.sparkContext.defaultParallelism,
      form,
      BusyExecutors(session.sparkContext),
      deadline
    )
    for (saved <- if (of.areKeysAll && NativeEngines.reasonForChild(session).isEmpty) pays else None) yield {
      val rows = WantedRows(scan.limit, scan.conjuncts, None, None, saved.bytes, groups = of.keys)
      scan.table.replaceScan(_)(new UndecidedScan(
        _,
        scan.table.output,
        WantedFiles(rows, scan.table, searched, saved.sample)
      ))
    }
  }

  private def over(limit: LocalLimit): Option[Either[Reason, Limited]] =
    MatchLimit.over[ReadableTable](limit)(Iceberg.table(state.facts))
}

object PruneV2Limits {
  private type Limited = LimitedScan[ReadableTable]

  /** Searches for what a LIMIT needs, and changes a plan so that its scan reads only this. */
  private type Search = SearchManifests => Either[Reason, LogicalPlan => LogicalPlan]

  /** The tag of a LIMIT, MIN or MAX that is not pruned, with the child for which this was decided. */
  private val Decided: TreeNodeTag[LogicalPlan] = TreeNodeTag("limitpruning.decidedOver")
}
