package limitpruning.report

import java.lang.ref.WeakReference
import java.util.concurrent.atomic.LongAdder

import scala.collection.immutable.ListMap
import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.ui.{SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart}

import limitpruning.catalyst.PlanningState
import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.footers.FactsCache

/**
 * A query that has run.
 *
 * @param executionId Spark's number of the execution, as its UI shows it
 * @param description the description in the UI, empty if it is not known
 * @param started milliseconds since the epoch, `None` if it is not known
 * @param ended milliseconds since the epoch
 * @param failed whether it ended with an error
 * @param session the session in which it ran, as long as it exists
 */
final case class QueryReport(
    executionId: Long,
    description: String,
    started: Option[Long],
    ended: Long,
    failed: Boolean,
    report: PruningReport,
    session: WeakReference[SparkSession] = new WeakReference(null)
) {

  /** Whether it ran in a session. */
  def ranIn(other: SparkSession): Boolean = session.get eq other
}

/**
 * The last queries with a LIMIT over Parquet that ran in any session of an application. Thread-safe.
 *
 * @param most the maximum number of queries that are stored
 */
final class History(most: Int) {
  private var latest = Vector.empty[QueryReport]

  def add(query: QueryReport): Unit = synchronized { latest = (latest :+ query).takeRight(most) }

  /** The queries, the oldest first. */
  def queries: Seq[QueryReport] = synchronized(latest)
}

/** The sums over all queries of an application since it started. Thread-safe. */
final class Totals {
  import Totals._

  private val queries, limits, covered, notCovered, notPruned = new LongAdder
  private val rowGroupsTotal, rowGroupsRead, rowGroupsSkipped = new LongAdder
  private val bytesTotal, bytesRead, planningNanos = new LongAdder

  /** Unexpected errors while planning. After each of them, a LIMIT was not pruned. */
  val planningFailures: LongAdder = new LongAdder

  private val values: ListMap[String, () => Long] = ListMap(
    "queries" -> queries.sum _,
    "limits" -> limits.sum _,
    "limitsCovered" -> covered.sum _,
    "limitsNotCovered" -> notCovered.sum _,
    "limitsNotPruned" -> notPruned.sum _,
    "rowGroupsTotal" -> rowGroupsTotal.sum _,
    "rowGroupsRead" -> rowGroupsRead.sum _,
    "rowGroupsSkipped" -> rowGroupsSkipped.sum _,
    "bytesTotal" -> bytesTotal.sum _,
    "bytesRead" -> bytesRead.sum _,
    "planningMs" -> (() => planningNanos.sum / NanosPerMilli),
    "planningFailures" -> planningFailures.sum _
  )

  /** The names of the values, as Spark's metrics show them. */
  def names: Seq[String] = values.keys.toSeq

  /** @param name one of `names` */
  def value(name: String): Long = values(name)()

  /** Registers the values with the metrics of the application that runs in this JVM. */
  def showInMetrics(): Unit = TotalsSource.register(names.toArray, name => value(name))

  /** Adds time that was spent on planning a LIMIT, whether or not its query runs. */
  def addPlanning(nanos: Long): Unit = planningNanos.add(nanos)

  /** Counts a query that has run. */
  def add(report: PruningReport): Unit = {
    queries.increment()
    report.limits.foreach(add)
  }

  private def add(limit: LimitReport): Unit = {
    limits.increment()
    (if (limit.covered) covered else if (limit.isNarrowed) notCovered else notPruned).increment()
    limit.rowGroups.foreach(counts => rowGroupsTotal.add(counts.total.toLong))
    limit.rowGroupsRead.foreach(rowGroupsRead.add)
    limit.rowGroupsSkipped.foreach(rowGroupsSkipped.add)
    // If a LIMIT is not pruned, the bytes that its scan reads are not known.
    for (read <- limit.bytesReadInAll; files <- limit.files) {
      bytesTotal.add(files.bytes)
      bytesRead.add(read)
    }
  }
}

private object Totals {
  private val NanosPerMilli = 1000000L
}

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

/**
 * Describes every query with a LIMIT over Parquet after it has ended, outside of the query's own thread. If
 * the same plan runs again immediately, the numbers of the scan may be those of the later run. Spark calls
 * this from one thread.
 */
final class KeepHistory(history: History, totals: Totals) extends SparkListener with Logging {
  import KeepHistory._

  private val running = mutable.LinkedHashMap.empty[Long, Started]

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case start: SparkListenerSQLExecutionStart =>
      running.update(start.executionId, Started(start.description, start.time))
      if (running.size > MostRunning) running -= running.head._1
    case end: SparkListenerSQLExecutionEnd => ended(end)
    case _ =>
  }

  private def ended(end: SparkListenerSQLExecutionEnd): Unit = {
    val started = running.remove(end.executionId)
    try
      for (query <- Option(ListenerEvents.queryOf(end)) if isPlanned(query)) {
        val report = DescribeQuery(query, mostRowGroups = 0)
        if (report.limits.nonEmpty) {
          totals.add(report)
          history.add(
            QueryReport(
              end.executionId,
              started.fold("")(_.description.take(MostCharacters)),
              started.map(_.time),
              end.time,
              ListenerEvents.hasFailed(end),
              report,
              new WeakReference[SparkSession](query.sparkSession)
            )
          )
        }
      }
    catch {
      // If planning of a query failed, the query cannot be described either.
      case NonFatal(e) => logDebug("A query that has ended cannot be described", e)
    }
  }
}

private object KeepHistory {

  /**
   * The maximum number of running executions whose start is stored. If Spark drops events, their end may
   * never be reported.
   */
  private val MostRunning = 1000

  /** Whether the query has been planned. Otherwise, describing it would plan it. */
  private def isPlanned(query: QueryExecution): Boolean =
    query.tracker.phases.contains(QueryPlanningTracker.PLANNING)

  /** The maximum length of a description, which may contain the whole text of a long query. */
  private val MostCharacters = 1000

  private final case class Started(description: String, time: Long)
}
