package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.LIMIT

import limitpruning.conf.LimitPruningConf
import limitpruning.tables.DeltaLake

/**
 * Chooses the files for a LIMIT without a predicate over a Delta table, before Delta reads its log for it. Delta's own rule comes
 * after this one, whatever the order of the extensions.
 *
 * @param state the caches and counters of the application
 */
final case class PrepareDeltaLimits(session: SparkSession, state: PlanningState) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (
      plan.containsPattern(LIMIT) && conf.getConf(LimitPruningConf.Enabled) &&
      !plan.exists(NoPruningHint.isAbove)
    )
      FailOpen(state, conf)(DeltaLake.preparedLimits(session, plan, state.facts))(_ => plan)
    else plan
}
