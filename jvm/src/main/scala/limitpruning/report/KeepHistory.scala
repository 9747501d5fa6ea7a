package limitpruning.report

import java.lang.ref.WeakReference

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.ui.{SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart}

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
