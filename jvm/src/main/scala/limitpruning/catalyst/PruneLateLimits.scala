package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{
  LocalLimit, LogicalPlan, Subquery, Window, WindowGroupLimit
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{CTE, LIMIT, WINDOW_GROUP_LIMIT}

import limitpruning.conf.LimitPruningConf
import limitpruning.search.NotPruned
import limitpruning.select.Reason
import limitpruning.tables.Tables

/**
 * Prunes the LIMITs that Spark makes after [[PruneLimits]], as that rule does. For `row_number() OVER (ORDER BY k) <= n`,
 * Spark puts an ORDER BY k LIMIT n below the window, in one of its last batches; with PARTITION BY, a `WindowGroupLimit`.
 *
 * If pruning is disabled, all LIMITs get a tag with this reason. No rule comes later that could lose the tag.
 *
 * @param state the caches and counters of the application
 */
final case class PruneLateLimits(override val session: SparkSession, override val state: PlanningState)
    extends Rule[LogicalPlan]
    with PrunesLimits {

  override def apply(plan: LogicalPlan): LogicalPlan = pruneWindows(pruneLimits(plan))

  private def pruneLimits(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(LIMIT)) plan
    else if (!conf.getConf(LimitPruningConf.Enabled)) {
      plan.foreach {
        case limit: LocalLimit => limit.setTagValue(NotPruned.Tag, NotPruned(Reason.Disabled))
        case _ =>
      }
      plan
    } else {
      val (restored, leftAlone) = leaveAlone(plan, RecursiveDefinitions.restoredIn)(!isDecided(_))
      restored.transformDownWithPruning(_.containsPattern(LIMIT)) {
        case limit: LocalLimit if isDecided(limit) =>
          FailOpen(state, conf)(SkipByOffset.undone(limit))(_ => None).getOrElse(limit)
        case limit: LocalLimit if UnprunedTables.isBelow(limit.child) =>
          UnprunedTables.reasonBelow(limit.child).map(NotPruned(_)).foreach(limit.setTagValue(
            NotPruned.Tag,
            _
          ))
          limit
        case limit: LocalLimit =>
          pruneOrTag(limit)(leftAlone.orElse(limit)(new DecideLimit(session, state.facts, conf)(limit)))
      }
    }

  /**
   * Prunes `row_number() OVER (PARTITION BY p ORDER BY k) <= n`, if no other window of the query is over its table: of rows with the
   * same keys, each copy of a window must take the same ones, also a copy without `<= n`. So nothing changes in subqueries, which Spark
   * optimizes before the query around them, and beside definitions that Spark copies later or evaluates several times.
   */
  private def pruneWindows(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(WINDOW_GROUP_LIMIT) || !conf.getConf(LimitPruningConf.Enabled)) plan
    else if (RecursiveDefinitions.areIn(plan)) {
      RecursiveDefinitions.markWindows(plan)
      plan
    } else if (plan.isInstanceOf[Subquery] || plan.containsPattern(CTE) || mayBeMergedTwice(plan)) plan
    else {
      lazy val sources = plan.collectWithSubqueries { case window: Window => sourcesOf(window) }.flatten
      def isAlone(window: WindowGroupLimit) =
        !LeftAlone.isAlways(window) && sourcesOf(window).forall(source => sources.count(_ == source) == 1)
      plan.transformDownWithPruning(_.containsPattern(WINDOW_GROUP_LIMIT)) {
        case window: WindowGroupLimit if !UnprunedTables.isBelow(window.child) && isAlone(window) =>
          FailOpen(state, conf)(new DecideByRows(session, state.facts, conf)(window))(_ => None)
            .getOrElse(window)
      }
    }

  private def sourcesOf(window: LogicalPlan) = window.collectLeaves().flatMap(Tables.sourceOf(_))

  private def isDecided(limit: LocalLimit): Boolean =
    limit.getTagValue(NotPruned.Tag).nonEmpty || isDecidedBelow(limit.child)
}
