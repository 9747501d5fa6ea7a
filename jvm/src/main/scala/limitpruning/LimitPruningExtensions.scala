package limitpruning

import java.util.concurrent.atomic.LongAdder

import org.apache.spark.sql.SparkSessionExtensions

import limitpruning.plan.{PlanLimitPrunedScan, PruneRowGroupsByLimit, PruneRowGroupsByOrder}

/**
 * The entry point: `spark.sql.extensions=limitpruning.LimitPruningExtensions`.
 *
 * {{{
 * spark-sql --jars spark-limit-pruning.jar --conf spark.sql.extensions=limitpruning.LimitPruningExtensions
 * }}}
 */
class LimitPruningExtensions extends (SparkSessionExtensions => Unit) {

  /** Unexpected planning errors of the application; all its sessions share this object. */
  private val failures = new LongAdder

  override def apply(extensions: SparkSessionExtensions): Unit = {
    LimitPruningConf.register()
    // After filter push-down and partition pruning have settled, before anything is estimated from sizes.
    extensions.injectPreCBORule(session => PruneRowGroupsByLimit(session, failures))
    extensions.injectPreCBORule(session => PruneRowGroupsByOrder(session, failures))
    extensions.injectPlannerStrategy(_ => PlanLimitPrunedScan)
  }
}
