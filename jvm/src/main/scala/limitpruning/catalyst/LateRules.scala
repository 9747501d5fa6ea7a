package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import limitpruning.conf.SparkSessions

/**
 * The rules that run at the end of Spark's optimizer. Of the rules that a session can add, only those of
 * `experimentalMethods` come so late.
 */
object LateRules {

  /**
   * Ensures that the session has these rules, once. They are added after all others. This must be called for each query that is optimized: a
   * program may replace the rules of a session, and a cloned session has those of the original session.
   */
  def keepIn(session: SparkSession, state: PlanningState): Unit = synchronized {
    val methods = SparkSessions.onServer(session).sessionState.experimentalMethods
    val rules = Seq(PruneLateLimits(session, state), PruneV2Limits(session, state))
    val (ours, others) = methods.extraOptimizations.partition(isOurs)
    if (ours != rules) methods.extraOptimizations = others ++ rules
  }

  private def isOurs(rule: Rule[LogicalPlan]): Boolean = rule match {
    case _: PruneLateLimits | _: PruneV2Limits => true
    case _ => false
  }
}
