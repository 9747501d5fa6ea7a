package limitpruning.report

import java.util.concurrent.atomic.LongAdder

import scala.collection.immutable.ListMap

import org.apache.spark.sql.SparkSession

import limitpruning.catalyst.PlanningState
import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.footers.FactsCache

/**
 * A query that has run.
 *
 * @param executionId Spark's number of the execution, as its UI shows it
 * @param description what the UI calls the query, empty where that is not known
 * @param started milliseconds since the epoch, `None` where that is not known
 * @param ended milliseconds since the epoch
 * @param failed whether it ended with an error
 */
final case class QueryReport(
    executionId: Long,
    description: String,
    started: Option[Long],
    ended: Long,
    failed: Boolean,
    report: PruningReport
)

/**
 * The last queries with a LIMIT over Parquet that ran in an application, whoever ran them. Thread-safe.
 *
 * @param most queries that are kept at most
 */
final class History(most: Int) {
  private var kept = Vector.empty[QueryReport]

  def add(query: QueryReport): Unit = synchronized { kept = (kept :+ query).takeRight(most) }

  /** The oldest first. */
  def queries: Seq[QueryReport] = synchronized(kept)
}

/** What LIMIT pruning did for all queries of an application since it started. Thread-safe. */
final class Totals {
  import Totals._

  private val queries, limits, covered, notCovered, notPruned = new LongAdder
  private val rowGroupsTotal, rowGroupsRead, rowGroupsSkipped = new LongAdder
  private val bytesTotal, bytesRead, planningNanos = new LongAdder

  /** Unexpected errors while planning, each of which left a LIMIT to Spark. */
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

  /** Their names, as Spark's metrics show them. */
  def names: Seq[String] = values.keys.toSeq

  /** @param name one of `names` */
  def value(name: String): Long = values(name)()

  /** Makes them part of the metrics of the application that runs in this JVM. */
  def showInMetrics(): Unit = TotalsSource.register(names.toArray, name => value(name))

  /** Counts time that was spent on planning a LIMIT, whether or not its query runs. */
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
    // Of a scan that is left to Spark it is not known what it reads.
    for (read <- limit.bytesRead; files <- limit.files) {
      bytesTotal.add(files.bytes)
      bytesRead.add(read)
    }
  }
}

private object Totals {
  private val NanosPerMilli = 1000000L
}

/**
 * What all sessions of an application share; each application has its own. Thread-safe.
 *
 * @param facts what is kept of files
 * @param history the last queries
 * @param totals what was done for all queries
 */
final class SharedState(val facts: FactsCache, val history: History, val totals: Totals)
    extends PlanningState {
  override def countFailure(): Unit = totals.planningFailures.increment()
  override def addPlanning(nanos: Long): Unit = totals.addPlanning(nanos)
}

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
