package limitpruning.plan

import scala.util.control.NonFatal

import org.apache.spark.SparkException
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.LIMIT

import limitpruning.{LimitPruningConf, SharedState}

/**
 * Where a LIMIT over Parquet is covered by row groups that are proved to match the predicate entirely, replaces the
 * relation's file index by one that selects those. Nothing else of the plan changes; where the limit is
 * not covered, nothing changes at all, and the reason is left on the LIMIT as a tag.
 *
 * Fails open: an unexpected error leaves the query to plain Spark, with one warning.
 *
 * @param shared what is kept for the application, and its count of unexpected errors
 */
final case class PruneRowGroupsByLimit(session: SparkSession, shared: SharedState) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(LimitPruningConf.Enabled)) plan
    else plan.transformDownWithPruning(_.containsPattern(LIMIT)) { case limit: LocalLimit => prune(limit) }

  private def prune(limit: LocalLimit): LogicalPlan = {
    val decision =
      try CoverLimit.decide(limit, session, shared.facts(session), conf)
      catch {
        case cancelled: SparkException if cancelled.getCondition == "SPARK_JOB_CANCELLED" => throw cancelled
        // A linkage error is what a Spark that lacks something we use would give.
        case error @ (NonFatal(_) | _: LinkageError) if !conf.getConf(LimitPruningConf.FailOnError) =>
          shared.failures.increment()
          logWarning("LIMIT pruning failed unexpectedly; the query is planned without it", error)
          Some(Left(Refusal(Declined.PlanningFailed(error.toString))))
      }
    decision match {
      case Some(Right((scan, index))) => SelectedRelation.replaceIn(limit, scan, index)
      case Some(Left(refusal)) =>
        limit.setTagValue(Refusal.Tag, refusal)
        limit
      case None => limit
    }
  }
}
