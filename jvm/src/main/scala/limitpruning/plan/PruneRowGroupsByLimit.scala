package limitpruning.plan

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
final case class PruneRowGroupsByLimit(session: SparkSession, shared: SharedState)
    extends Rule[LogicalPlan]
    with PruneByDecision {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(LimitPruningConf.Enabled)) plan
    else plan.transformDownWithPruning(_.containsPattern(LIMIT)) { case limit: LocalLimit =>
      prune(limit) {
        if (TopRowsScan.of(limit).nonEmpty) None
        else CoverLimit.decide(limit, session, shared.facts, conf)
      }
    }
}
