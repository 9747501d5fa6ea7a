package limitpruning.catalyst

import scala.util.control.NonFatal

import org.apache.spark.SparkException
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.LIMIT

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.FactsCache
import limitpruning.search.NotPruned
import limitpruning.select.Reason

/**
 * Replaces the file index of a relation below a LIMIT by one of selected files and row groups: those that are proved to hold
 * enough rows, or with ORDER BY, those that may hold the first rows. Beside it, only the statistics of a catalog table
 * change. Where nothing can be skipped, nothing changes at all, and the reason is attached to the LIMIT as a tag.
 *
 * Fails open: an unexpected error leaves the query as it is, with one warning.
 *
 * @param state what is cached and counted for the application
 */
final case class PruneLimits(session: SparkSession, state: PlanningState) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(LimitPruningConf.Enabled)) plan
    else plan.transformDownWithPruning(_.containsPattern(LIMIT)) { case limit: LocalLimit => prune(limit) }

  /** @return the plan with the scan's index replaced; the same object, with a tag, where the LIMIT is not pruned */
  private def prune(limit: LocalLimit): LogicalPlan = {
    val started = System.nanoTime()
    val decision =
      try new DecideLimit(session, state.facts, conf)(limit)
      catch {
        case cancelled: SparkException if cancelled.getCondition == "SPARK_JOB_CANCELLED" => throw cancelled
        // A linkage error is what a Spark that lacks something we use would give. Where the stack is used up, nothing is
        // lost: a decision keeps no state, and Spark may need less stack to go on.
        case error @ (NonFatal(_) | _: LinkageError | _: StackOverflowError)
            if !conf.getConf(LimitPruningConf.FailOnError) =>
          state.countFailure()
          logWarning("LIMIT pruning failed unexpectedly; the query is planned without it", error)
          Some(Left(NotPruned(Reason.PlanningFailed(error.toString))))
      } finally state.addPlanning(System.nanoTime() - started)
    decision match {
      case Some(Right(pruned)) => pruned
      case Some(Left(refusal)) =>
        limit.setTagValue(NotPruned.Tag, refusal)
        limit
      case None => limit
    }
  }
}

/** What all sessions of an application share while they plan. Thread-safe. */
trait PlanningState {

  /** Footers of files. */
  def facts: FactsCache

  /** Counts an unexpected error, after which a LIMIT was not pruned. */
  def countFailure(): Unit

  /** @param nanos nanoseconds that were spent on one LIMIT, whether or not its query runs */
  def addPlanning(nanos: Long): Unit
}
