package limitpruning.report

import java.util.concurrent.atomic.LongAdder

import scala.collection.immutable.ListMap

/** What LIMIT pruning did for all queries of an application since it started. Thread-safe. */
final class Totals {
  import Totals._

  private val queries, limits, covered, notCovered, leftToSpark = new LongAdder
  private val rowGroupsLookedAt, rowGroupsRead, rowGroupsSkipped = new LongAdder
  private val bytesTotal, bytesRead, planningNanos = new LongAdder

  /** Unexpected errors while planning, each of which left a LIMIT to Spark. */
  val planningFailures: LongAdder = new LongAdder

  private val values: ListMap[String, () => Long] = ListMap(
    "queries" -> queries.sum _,
    "limits" -> limits.sum _,
    "limitsCovered" -> covered.sum _,
    "limitsNotCovered" -> notCovered.sum _,
    "limitsNotPruned" -> leftToSpark.sum _,
    "rowGroupsTotal" -> rowGroupsLookedAt.sum _,
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
    (if (limit.covered) covered else if (limit.isNarrowed) notCovered else leftToSpark).increment()
    limit.rowGroups.foreach(counts => rowGroupsLookedAt.add(counts.total.toLong))
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
