package limitpruning.footers

import java.util.concurrent.TimeUnit.MINUTES

import scala.concurrent.duration.FiniteDuration

import com.google.common.cache.CacheBuilder

/**
 * Remembers which Spark queries of planning were not done in time. Each of them delayed a user's query by all the time that
 * it had, so the next ones do not run it; see [[Attempts]]. What made it slow may pass, so it is forgotten after ten minutes.
 * Thread-safe.
 *
 * @param most the maximum number of queries; the least recently used are dropped first
 */
final class SlowQueries(most: Long) {
  import SlowQueries._

  private val tried =
    CacheBuilder.newBuilder().maximumSize(most).expireAfterWrite(10, MINUTES).build[Asked, Attempts]()

  /** Whether a query may run. Each call counts as one query. */
  def mayRun(query: PlanningQuery, maxTime: FiniteDuration): Boolean =
    Option(tried.getIfPresent(Asked(query, maxTime))).forall(_.isDue())

  /** Notes that a query was not done in time. */
  def wasLeft(query: PlanningQuery, maxTime: FiniteDuration): Unit =
    tried.get(Asked(query, maxTime), () => new Attempts).failed()

  /** Notes that a query was done in time. */
  def wasDone(query: PlanningQuery, maxTime: FiniteDuration): Unit = tried.invalidate(Asked(query, maxTime))

  /** Forgets the queries over paths that meet a condition. */
  def forget(isMeant: String => Boolean): Unit = {
    val _ = tried.asMap.keySet.removeIf(asked => isMeant(asked.query.path))
  }
}

private object SlowQueries {

  /** With more time, a query may be done. */
  final case class Asked(query: PlanningQuery, maxTime: FiniteDuration)
}
