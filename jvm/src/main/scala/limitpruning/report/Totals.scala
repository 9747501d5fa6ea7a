package limitpruning.report

import java.util.concurrent.atomic.LongAdder

import scala.collection.immutable.ListMap

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
