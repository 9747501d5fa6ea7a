package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.CatalogFileIndex

import limitpruning.conf.SparkSessions
import limitpruning.tables.IndexedRelation

/**
 * Prunes the partitions of catalog tables by Spark's own rule, before [[PruneLimits]] lists their files. Spark would run the
 * rule later, and ask the metastore again. It leaves relations alone whose partitions have been pruned. If filters are added
 * later, the scan also prunes by them.
 */
private[catalyst] object PrunePartitions {
  private val SparksRule = "org.apache.spark.sql.execution.datasources.PruneFileSourcePartitions"

  def in(plan: LogicalPlan, session: SparkSession): LogicalPlan =
    if (!plan.exists(isInCatalog)) plan
    else {
      val rules = SparkSessions.onServer(session).sessionState.optimizer.earlyScanPushDownRules
      val pruned = rules.filter(_.ruleName == SparksRule).foldLeft(plan)((before, rule) => rule(before))
      // The rule replaces operators, too, and these lose their tags. Tables stay in the same order.
      val leaves = pruned.collectLeaves().iterator
      plan.transformUp { case leaf if leaf.children.isEmpty => leaves.next() }
    }

  private def isInCatalog(node: LogicalPlan): Boolean = node match {
    case IndexedRelation(_, _: CatalogFileIndex) => true
    case _ => false
  }
}
