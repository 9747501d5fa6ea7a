package limitpruning

import org.apache.spark.sql.SparkSessionExtensions

import limitpruning.plan._

/**
 * The entry point: `spark.sql.extensions=limitpruning.LimitPruningExtensions`.
 *
 * {{{
 * spark-sql --jars spark-limit-pruning.jar --conf spark.sql.extensions=limitpruning.LimitPruningExtensions
 * }}}
 */
class LimitPruningExtensions extends (SparkSessionExtensions => Unit) {
  private val shared = new SharedState

  override def apply(extensions: SparkSessionExtensions): Unit = {
    LimitPruningConf.register()
    // After filter push-down and partition pruning have settled, before anything is estimated from sizes.
    extensions.injectPreCBORule(session => PruneRowGroupsByLimit(session, shared))
    extensions.injectPreCBORule(session => PruneRowGroupsByOrder(session, shared))
    extensions.injectPlannerStrategy(_ => PlanLimitPrunedScan)
    extensions.injectPlannerStrategy(session => ForgetRefreshedFiles(session, shared))
  }
}
