package limitpruning.report

import org.apache.spark.sql.SparkSession

import limitpruning.catalyst.PlanningState
import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.footers.FactsCache

/**
 * The state that all sessions of an application share. Each application has its own. Thread-safe.
 *
 * @param facts the cached footers
 * @param history the last queries
 * @param totals the sums over all queries
 */
final class SharedState(val facts: FactsCache, val history: History, val totals: Totals)
    extends PlanningState {
  override def countFailure(): Unit = totals.planningFailures.increment()
  override def addPlanning(nanos: Long): Unit = totals.addPlanning(nanos)
}

object SharedState {

  /** @param session any session of the application; its static settings are used */
  def of(session: SparkSession): SharedState = {
    val conf = SparkSessions.onServer(session).sessionState.conf
    new SharedState(
      new FactsCache(conf.getConf(LimitPruningConf.CacheMaxBytes)),
      new History(conf.getConf(LimitPruningConf.HistoryMaxQueries)),
      new Totals
    )
  }
}
