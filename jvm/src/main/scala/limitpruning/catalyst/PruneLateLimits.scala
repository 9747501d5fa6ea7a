package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.LIMIT

import limitpruning.conf.LimitPruningConf
import limitpruning.search.NotPruned
import limitpruning.select.Reason

/**
 * Prunes the LIMITs that Spark makes after [[PruneLimits]], as that rule does. For `row_number() OVER (ORDER BY k) <= n`,
 * Spark puts an ORDER BY k LIMIT n below the window, in one of its last batches.
 *
 * If pruning is disabled, all LIMITs get a tag with this reason. No rule comes later that could lose the tag.
 *
 * @param state the caches and counters of the application
 */
final case class PruneLateLimits(session: SparkSession, override val state: PlanningState)
    extends Rule[LogicalPlan]
    with PrunesLimits {

  override def apply(plan: LogicalPlan): LogicalPlan =
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
        case limit: LocalLimit if NoPruningHint.isBelow(limit.child) =>
          limit.setTagValue(NotPruned.Tag, NotPruned(Reason.Hint))
          limit
        case limit: LocalLimit =>
          pruneOrTag(limit)(leftAlone.orElse(limit)(new DecideLimit(session, state.facts, conf)(limit)))
      }
    }

  private def isDecided(limit: LocalLimit): Boolean =
    limit.getTagValue(NotPruned.Tag).nonEmpty || isDecidedBelow(limit.child)
}
