package limitpruning.plan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{LIMIT, SORT}

import limitpruning.{LimitPruningConf, SharedState}

/**
 * Where an ORDER BY … LIMIT stands over Parquet, replaces the relation's file index by one that leaves out the row groups
 * whose rows are proved to be behind enough others. Sort, filter and all else of the plan stay; where nothing can be left
 * out, nothing changes at all, and the reason is left on the LIMIT as a tag.
 *
 * Fails open: an unexpected error leaves the query to plain Spark, with one warning.
 *
 * @param shared what is kept for the application, and its count of unexpected errors
 */
final case class PruneRowGroupsByOrder(session: SparkSession, shared: SharedState)
    extends Rule[LogicalPlan]
    with PruneByDecision {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(LimitPruningConf.Enabled)) plan
    else plan.transformDownWithPruning(_.containsAllPatterns(LIMIT, SORT)) { case limit: LocalLimit =>
      prune(limit)(ChooseTopRows.decide(limit, session, shared.facts, conf))
    }
}
