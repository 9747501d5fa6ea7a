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
 * @param description the description in the UI, empty if it is not known
 * @param started milliseconds since the epoch, `None` if it is not known
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
