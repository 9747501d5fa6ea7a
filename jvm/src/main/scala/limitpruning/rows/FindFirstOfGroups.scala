package limitpruning.rows

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.PartitionPruningRDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.util.LongAccumulator

import limitpruning.footers.NamedJob

/**
 * Finds the first rows of each group of a scan, by Spark jobs.
 *
 * @param table its name, for the descriptions of the jobs
 */
private[rows] final class FindFirstOfGroups(context: SparkContext, table: String) extends Logging {
  import FindFirstOfGroups._

  /**
   * The first job reads one part of the table for each core, because this may show that there are too many rows, or that other parts
   * have other groups.
   *
   * @return none if there are too many rows
   */
  def apply(scan: PositionScan, limit: Int): Option[FoundPositions] = {
    val (rows, bytes) = CountedBytes.of(context, scan.plan.execute())
    val first = new FirstOfEachGroup(limit, scan.ordering, RowsOfGroups.keysOf(scan))
    val partitions = rows.getNumPartitions
    val some = context.defaultParallelism.min(partitions)
    val inEach = context.longAccumulator

    def wave(number: Int, from: Int, until: Int): Option[Array[InternalRow]] =
      if (from >= until) Some(Array.empty[InternalRow])
      else
        NamedJob(context, s"limit pruning: first rows of the groups of $table, wave $number") {
          PartitionPruningRDD.create(rows, i => from <= i && i < until)
            .mapPartitions(firstOfGroups(first, inEach)).treeReduce(first.ofBoth(_, _))
        }

    def areTooMany(before: Array[InternalRow]) = {
      val expected = ExpectedRows.inAll(some, inEach.value, before.length, partitions)
      val tooMany = some < partitions && expected > LeastTooMany * FirstOfEachGroup.MostRows
      if (tooMany)
        logInfo(
          s"About ${expected.toLong} rows are expected to be the first ones of their groups, so Spark's own scan " +
            s"reads the table $table"
        )
      tooMany
    }

    for {
      before <- wave(1, 0, some) if !areTooMany(before)
      after <- wave(2, some, partitions)
      all <- first.ofBoth(Some(before), Some(after))
    } yield FoundPositions(
      Positions.first(all.iterator, all.length),
      areAll = false,
      if (some < partitions) 2 else 1,
      bytes()
    )
  }
}

private object FindFirstOfGroups {

  /** An estimate may be wrong by this factor. */
  private val LeastTooMany = 2

  /**
   * It runs on executors, so it must not capture what stays on the driver.
   *
   * @param inEach counts the rows that tasks find
   */
  private def firstOfGroups(
      first: FirstOfEachGroup,
      inEach: LongAccumulator
  ): Iterator[InternalRow] => Iterator[Option[Array[InternalRow]]] = { rows =>
    val found = first.of(rows)
    found.foreach(some => inEach.add(some.length))
    Iterator(found)
  }
}
