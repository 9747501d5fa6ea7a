package limitpruning.plan

import scala.util.control.NonFatal

import org.apache.spark.SparkException
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import limitpruning.{LimitPruningConf, SharedState}

/** Carries out what was decided for a LIMIT, and leaves the query to Spark where deciding fails. */
trait PruneByDecision { this: Rule[LogicalPlan] =>

  /** What is kept for the application, and its count of unexpected errors. */
  def shared: SharedState

  /** @return the plan with the scan's index replaced; the same object, with a tag, where it was refused */
  protected def prune(limit: LocalLimit)(
      decide: => Option[Either[Refusal, (LimitedScan, SelectedFileIndex)]]
  ): LogicalPlan = {
    val started = System.nanoTime()
    val decision =
      try decide
      catch {
        case cancelled: SparkException if cancelled.getCondition == "SPARK_JOB_CANCELLED" => throw cancelled
        // A linkage error is what a Spark that lacks something we use would give. Where the stack is used up, nothing is
        // lost: a decision keeps no state, and Spark may need less stack to go on.
        case error @ (NonFatal(_) | _: LinkageError | _: StackOverflowError)
            if !conf.getConf(LimitPruningConf.FailOnError) =>
          shared.totals.planningFailures.increment()
          logWarning("LIMIT pruning failed unexpectedly; the query is planned without it", error)
          Some(Left(Refusal(Declined.PlanningFailed(error.toString))))
      } finally shared.totals.addPlanning(System.nanoTime() - started)
    decision match {
      case Some(Right((scan, index))) => SelectedRelation.replaceIn(limit, scan, index)
      case Some(Left(refusal)) =>
        limit.setTagValue(Refusal.Tag, refusal)
        limit
      case None => limit
    }
  }
}
