package limitpruning.catalyst

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.SparkException
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
 * catalog table change. If nothing can be skipped, nothing changes, and the LIMIT gets a tag with the reason.
 *
 * The rule fails open: after an unexpected error, the query does not change, and the driver logs one warning.
 *
 * @param state the caches and counters of the application
 */
final case class PruneLimits(session: SparkSession, state: PlanningState) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(LimitPruningConf.Enabled)) plan
    else if (!plan.containsPattern(LIMIT)) plan
    else {
      val limits = DeltaLake.prepared(session, plan)
        .transformDownWithPruning(_.containsPattern(LIMIT)) { case limit: LocalLimit => prune(limit) }
      pruneSubqueries(limits, mutable.Map.empty)
    }

  /**
   * Prunes LIMITs in subqueries that waited for Delta. Spark optimizes a subquery before the query around it, and decides
   * its LIMITs then. But Delta chooses the files of subqueries later, together with those of the query around them.
   *
   * @param decided the results so far. Spark may have copied a subquery, and its copies must return the same rows.
   */
  private def pruneSubqueries(
      plan: LogicalPlan,
      decided: mutable.Map[LogicalPlan, LogicalPlan]
  ): LogicalPlan =
    plan.transformAllExpressionsWithPruning(_.containsAllPatterns(PLAN_EXPRESSION, LIMIT)) {
      case subquery: SubqueryExpression =>
        val pruned = subquery.plan.transformDownWithPruning(_.containsPattern(LIMIT)) {
          case limit: LocalLimit if waits(limit) => decided.getOrElseUpdate(limit, prune(limit))
        }
        subquery.withNewPlan(pruneSubqueries(pruned, decided))
    }

  private def waits(limit: LocalLimit): Boolean =
    limit.getTagValue(NotPruned.Tag).exists(_.reason == Reason.DeltaNotPrepared)

  /** @return the plan with another file index; if the LIMIT is not pruned, the same object with a tag */
  private def prune(limit: LocalLimit): LogicalPlan = {
    val started = System.nanoTime()
    val decision =
      try new DecideLimit(session, state.facts, conf)(limit)
      catch {
        case cancelled: SparkException if cancelled.getCondition == "SPARK_JOB_CANCELLED" => throw cancelled
        // A linkage error occurs if this Spark lacks something that the extension uses. A stack overflow does no harm:
        // a decision has no state, and the rest of Spark's planning may need less stack.
        case error @ (NonFatal(_) | _: LinkageError | _: StackOverflowError)
            if !conf.getConf(LimitPruningConf.FailOnError) =>
          state.countFailure()
          logWarning("LIMIT pruning failed unexpectedly; the query is planned without it", error)
          Some(Left(NotPruned(Reason.PlanningFailed(error.toString))))
      } finally state.addPlanning(System.nanoTime() - started)
    decision match {
      case Some(Right(pruned)) => pruned
      case Some(Left(notPruned)) =>
        limit.setTagValue(NotPruned.Tag, notPruned)
        limit
      case None => limit
    }
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
