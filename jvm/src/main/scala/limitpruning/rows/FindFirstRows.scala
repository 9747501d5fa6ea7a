package limitpruning.rows

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import com.google.common.collect.{Ordering => GuavaOrdering}
import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan

import limitpruning.footers.NamedJob

/**
 * Finds the first rows in the order of a scan, by Spark jobs.
 *
 * @param table its name, for the descriptions of the jobs
 */
private[rows] final class FindFirstRows(context: SparkContext, table: String) {
  import FindFirstRows._

  /** By one job. */
  def inOneJob(scan: PositionScan, limit: Int): FoundPositions = {
    val (found, bytes) = firstRows(scan.plan, scan.ordering, limit, s"limit pruning: first rows of $table")
    FoundPositions(Positions.first(found.iterator, found.length), found.length < limit, 1, bytes)
  }

  /** By jobs of which each reads row groups with better keys than the next one, as far as these are known. */
  def inWaves(scan: PositionScan, limit: Int, bestFirst: BestFirst): FoundPositions = {
    val order = scan.ordering

    @tailrec
    def search(left: BestFirst, wave: Int, found: Array[InternalRow], bytesBefore: Long): FoundPositions = {
      val rest = if (found.length < limit) left else left.notAfter(found.last)
      if (rest.isEmpty)
        FoundPositions(Positions.first(found.iterator, limit), found.length < limit, wave, bytesBefore)
      else {
        val (plan, next) = rest.wave(wave, context.defaultParallelism)
        val (more, bytes) =
          firstRows(plan, order, limit, s"limit pruning: first rows of $table, wave ${wave + 1}")
        search(next, wave + 1, firstOfBoth(order, limit)(found, more), bytesBefore + bytes)
      }
    }

    search(bestFirst, 0, Array.empty, 0L)
  }

  /** The first rows of a plan, in order, and the bytes that were read for them. */
  private def firstRows(
      plan: SparkPlan,
      order: Ordering[InternalRow],
      limit: Int,
      job: String
  ): (Array[InternalRow], Long) = {
    val (rows, bytes) = CountedBytes.of(context, plan.execute())
    val partitions = rows.getNumPartitions
    val found = NamedJob(context, job) {
      if (partitions == 0) Array.empty[InternalRow]
      else if (partitions.toLong * limit <= MostSent) rows.map(copied).takeOrdered(limit)(order)
      else rows.mapPartitions(firstIn(order, limit)).treeReduce(firstOfBoth(order, limit))
    }
    (found, bytes())
  }
}

/** What runs on executors: it must not capture what stays on the driver. */
private object FindFirstRows {

  /** If the tasks find more rows together, other tasks merge them, so that the driver need not hold them. */
  private val MostSent = 100000L

  private val copied: InternalRow => InternalRow = _.copy()

  private def firstIn(
      order: Ordering[InternalRow],
      limit: Int
  ): Iterator[InternalRow] => Iterator[Array[InternalRow]] =
    rows => Iterator(first(rows.map(copied), order, limit))

  private def firstOfBoth(
      order: Ordering[InternalRow],
      limit: Int
  ): (Array[InternalRow], Array[InternalRow]) => Array[InternalRow] =
    (one, other) => first(one.iterator ++ other, order, limit)

  /** As Spark's `takeOrdered`, which uses this function, too. */
  private def first(
      rows: Iterator[InternalRow],
      order: Ordering[InternalRow],
      limit: Int
  ): Array[InternalRow] =
    GuavaOrdering.from(order).leastOf(rows.asJava, limit).toArray(Array.empty[InternalRow])
}
