package limitpruning

import org.apache.spark.sql.SparkSession

import limitpruning.parquet.FactsCache
import limitpruning.report.{History, Totals}

/**
 * What all sessions of an application share; each application has its own. Thread-safe.
 *
 * @param facts what is kept of files
 * @param history the last queries
 * @param totals what was done for all queries
 */
final class SharedState(val facts: FactsCache, val history: History, val totals: Totals)

object SharedState {

  /** @param session any of the application's, for the settings with which that was started */
  def of(session: SparkSession): SharedState = {
    val conf = SparkSessions.onServer(session).sessionState.conf
    new SharedState(
      new FactsCache(conf.getConf(LimitPruningConf.CacheMaxBytes)),
      new History(conf.getConf(LimitPruningConf.HistoryMaxQueries)),
      new Totals
    )
  }
}
