package limitpruning.catalyst

import scala.collection.mutable

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{LIMIT, PLAN_EXPRESSION}

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.FactsCache
import limitpruning.search.NotPruned
import limitpruning.select.Reason
import limitpruning.tables.DeltaLake

/**
 * Replaces the file index of a relation below a LIMIT by an index of selected files and row groups. These are proved to
 * contain enough rows or, with ORDER BY, may contain the first rows. Apart from the index, only the statistics of a
 * catalog table change. If the predicate waits for subqueries, an index marks the relation, and the rows are chosen when
 * the query runs. If nothing can be skipped, nothing changes, and the LIMIT gets a tag with the reason. A MIN or MAX without
 * GROUP BY is the first row in an order, and is pruned like it.
 *
 * @param state the caches and counters of the application
 */
final case class PruneLimits(override val session: SparkSession, override val state: PlanningState)
    extends Rule[LogicalPlan]
    with PrunesLimits {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (conf.getConf(LimitPruningConf.Enabled)) prune(plan) else plan

  private def prune(plan: LogicalPlan): LogicalPlan = {
    UnprunedTables.markOperators(plan) // a later rule may add a LIMIT
    val isLimited = plan.containsPattern(LIMIT)
    val hasMinMax = !mayBeMergedTwice(plan) &&
      FailOpen(state, conf)(PruneMinMax.isIn(plan, conf))(_ => false)
    val (restored, leftAlone) =
      leaveAlone(
        if (isLimited || hasMinMax) prepared(plan) else plan,
        plan => SharedDefinitions.restoredIn(RecursiveDefinitions.restoredIn(plan))
      )(limit => !isDecidedBelow(limit.child))
    val pruned = if (isLimited) pruneLimits(restored, leftAlone) else restored
    if (hasMinMax) FailOpen(state, conf)(pruneMinMax(pruned))(_ => pruned) else pruned
  }

  /**
   * Files of an aggregate for which a LIMIT waits are listed when the query runs, and so are those of aggregates with several
   * orders, whose rows are not chosen then.
   */
  private def pruneMinMax(plan: LogicalPlan): LogicalPlan =
    PruneMinMax.in(plan, conf, ifWaited = !MatchMinMax.hasSeveralOrders(_)) { aggregate =>
      new DecideLimit(session, state.facts, conf).minMax(aggregate)
    }

  private def prepared(plan: LogicalPlan): LogicalPlan = {
    val chosenByLog = DeltaLake.prepared(session, plan)
    FailOpen(state, conf)(PrunePartitions.in(chosenByLog, session))(_ => chosenByLog)
  }

  private def pruneLimits(plan: LogicalPlan, leftAlone: LeftAlone): LogicalPlan =
    pruneSubqueries(eachLimit(plan)(prune(_, _, _, leftAlone)), leftAlone, mutable.Map.empty)

  /**
   * Prunes LIMITs in subqueries that waited for Delta. Spark optimizes a subquery before the query around it, and decides
   * its LIMITs then. But Delta chooses the files of subqueries later, together with those of the query around them.
   *
   * @param decided the results so far. Spark may have copied a subquery, and its copies must return the same rows.
   */
  private def pruneSubqueries(
      plan: LogicalPlan,
      leftAlone: LeftAlone,
      decided: mutable.Map[LogicalPlan, LogicalPlan]
  ): LogicalPlan =
    plan.transformAllExpressionsWithPruning(_.containsAllPatterns(PLAN_EXPRESSION, LIMIT)) {
      case subquery: SubqueryExpression =>
        val pruned = subquery.plan.transformDownWithPruning(_.containsPattern(LIMIT)) {
          case limit: LocalLimit if waits(limit) =>
            decided.getOrElseUpdate(limit, prune(limit, isRoot = false, offset = 0, leftAlone))
        }
        subquery.withNewPlan(pruneSubqueries(pruned, leftAlone, decided))
    }

  private def waits(limit: LocalLimit): Boolean =
    limit.getTagValue(NotPruned.Tag).exists(_.reason == Reason.DeltaNotPrepared)

  private def prune(limit: LocalLimit, isRoot: Boolean, offset: Int, leftAlone: LeftAlone): LogicalPlan = {
    limit.unsetTagValue(NotPruned.Tag) // of an earlier plan with the same node
    pruneOrTag(limit)(
      leftAlone.orElse(limit)(new DecideLimit(session, state.facts, conf)(limit, isRoot, offset))
    )
  }
}

/** The state that all sessions of an application share while planning. Thread-safe. */
trait PlanningState {

  /** The cache of footers. */
  def facts: FactsCache

  /** Counts a LIMIT that was not pruned because of an unexpected error. */
  def countFailure(): Unit

  /** @param nanos nanoseconds spent on one LIMIT, whether or not its query runs */
  def addPlanning(nanos: Long): Unit
}
