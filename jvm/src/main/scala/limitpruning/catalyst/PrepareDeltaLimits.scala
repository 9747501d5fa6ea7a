package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.LIMIT

import limitpruning.conf.LimitPruningConf
import limitpruning.tables.DeltaLake

/**
 * Chooses the files for a LIMIT over a Delta table, before Delta reads its log for it. Delta's own rule comes
 * after this one, whatever the order of the extensions. One instance for each query.
 *
 * @param state the caches and counters of the application
 */
final class PrepareDeltaLimits(session: SparkSession, state: PlanningState) extends Rule[LogicalPlan] {
  // Spark runs the rule several times for a query, and to ask for the newest version of a table takes a listing of its log.
  @volatile private var isLeftToDelta = false

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (
      !isLeftToDelta && plan.containsPattern(LIMIT) && conf.getConf(LimitPruningConf.Enabled) &&
      !plan.exists(UnprunedTables.isAbove)
    )
      FailOpen(state, conf)(DeltaLake.preparedLimits(session, plan, state.facts))(_ => None).getOrElse {
        isLeftToDelta = true
        plan
      }
    else plan
}
