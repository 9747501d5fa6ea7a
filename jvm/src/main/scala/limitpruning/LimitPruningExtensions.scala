package limitpruning

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

import limitpruning.catalyst.{
  ForgetRefreshedFiles, LateRules, MarkInserts, NoPruningHint, PlanLimitPrunedScan, PlanUndecidedFiles,
  PrepareDeltaLimits, PruneLimits, UnprunedTables
}
import limitpruning.conf.LimitPruningConf
import limitpruning.report.{ExplainReasons, KeepHistory, PlanReports, SharedState, TableFunctions}
import limitpruning.scan.ForgetChangedFiles
import limitpruning.shims.SparkShims

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
    extensions.injectOptimizerRule(session => new PrepareDeltaLimits(session, sharedBy(session)))
    // Pre-CBO rules run after filter pushdown, before Spark prunes partitions of catalog tables and estimates plan
    // sizes.
    extensions.injectPreCBORule { session =>
      // Spark creates its rules again for each query that it optimizes.
      ExplainReasons.keepInStep(session)
      PlanLimitPrunedScan.comeBeforeDelta(session, sharedBy(session))
      LateRules.keepIn(session, sharedBy(session))
      PruneLimits(session, sharedBy(session))
    }
    extensions.injectPlannerStrategy(session => PlanLimitPrunedScan(session, sharedBy(session)))
    extensions.injectPlannerStrategy(session => PlanUndecidedFiles(session, sharedBy(session)))
    extensions.injectPlannerStrategy(session => ForgetRefreshedFiles(session, sharedBy(session)))
    SparkShims.injectHintRule(extensions, NoPruningHint)
    SparkShims.injectHintRule(extensions, MarkInserts)
    extensions.injectPlanNormalizationRule(_ => UnprunedTables.MarkTables)
    extensions.injectPlannerStrategy(_ => UnprunedTables.PlanUnpruned)
    extensions.injectPlannerStrategy(session => PlanReports(session, sharedBy(session)))
    TableFunctions.All.foreach(extensions.injectTableFunction)
  }

  /**
   * The state of the application. The first session creates it and registers its listeners and metrics. Thread-safe.
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
