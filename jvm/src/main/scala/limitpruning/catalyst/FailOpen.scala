package limitpruning.catalyst

import scala.util.control.NonFatal

import org.apache.spark.SparkException
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import limitpruning.conf.LimitPruningConf
import limitpruning.search.NotPruned
import limitpruning.select.Reason

/**
 * A rule that prunes LIMITs and fails open: after an unexpected error, the query does not change, and the driver logs one
 * warning.
 */
private[catalyst] trait FailOpen { rule: Rule[LogicalPlan] =>

  /** The caches and counters of the application. */
  def state: PlanningState

  /**
   * @param decide the pruned plan, or why the LIMIT is not pruned; `None` if there is nothing to decide
   * @return the pruned plan; if the LIMIT is not pruned, the same object with a tag
   */
  protected def pruneOrTag(limit: LocalLimit)(
      decide: => Option[Either[NotPruned, LogicalPlan]]
  ): LogicalPlan = {
    val started = System.nanoTime()
    val decision =
      try decide
      catch {
        case cancelled: SparkException if cancelled.getCondition == "SPARK_JOB_CANCELLED" => throw cancelled
        // A linkage error occurs if this Spark lacks something that the extension uses. A stack overflow does no harm:
        // a decision has no state, and the rest of Spark's planning may need less stack.
        case error @ (NonFatal(_) | _: LinkageError | _: StackOverflowError)
            if !rule.conf.getConf(LimitPruningConf.FailOnError) =>
          state.countFailure()
          rule.logWarning("LIMIT pruning failed unexpectedly; the query is planned without it", error)
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
