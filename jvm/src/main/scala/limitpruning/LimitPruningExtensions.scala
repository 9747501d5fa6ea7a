package limitpruning

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

import limitpruning.catalyst.{ForgetRefreshedFiles, PlanLimitPrunedScan, PruneLimits}
import limitpruning.conf.LimitPruningConf
import limitpruning.report.{ExplainReasons, KeepHistory, SharedState}
import limitpruning.scan.ForgetChangedFiles

/**
 * The entry point: `spark.sql.extensions=limitpruning.LimitPruningExtensions`.
 *
 * {{{
 * spark-sql --jars spark-limit-pruning.jar --conf spark.sql.extensions=limitpruning.LimitPruningExtensions
 * }}}
 */
class LimitPruningExtensions extends (SparkSessionExtensions => Unit) {
  private var shared: Option[SharedState] = None

  override def apply(extensions: SparkSessionExtensions): Unit = {
    LimitPruningConf.register()
    // This rule runs after filters are pushed down. It runs before partitions of catalog tables are pruned,
    // and before anything is estimated from sizes.
    extensions.injectPreCBORule { session =>
      // Spark creates its rules again for each query that it optimizes.
      ExplainReasons.keepInStep(session)
      PruneLimits(session, sharedBy(session))
    }
    extensions.injectPlannerStrategy(session => PlanLimitPrunedScan(session))
    extensions.injectPlannerStrategy(session => ForgetRefreshedFiles(session, sharedBy(session)))
  }

  /**
   * Creates the shared state for the first session of the application, and registers its listeners and
   * metrics.
   */
  private def sharedBy(session: SparkSession): SharedState = synchronized {
    shared.getOrElse {
      val made = SharedState.of(session)
      session.sparkContext.addSparkListener(new ForgetChangedFiles(made.facts))
      session.sparkContext.addSparkListener(new KeepHistory(made.history, made.totals))
      made.totals.showInMetrics()
      shared = Some(made)
      made
    }
  }
}
