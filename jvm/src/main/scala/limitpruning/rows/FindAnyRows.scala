package limitpruning.rows

import scala.annotation.tailrec

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import limitpruning.footers.{NamedJob, Selectivity}
import limitpruning.search.LikelyRowGroups

/**
 * Finds any rows of a scan, or one row of each of any groups, by Spark jobs.
 *
 * @param table its name, for the descriptions of the jobs
 * @param selectivity what is known about the predicate
 * @param bytes of the files that the scan reads
 */
private[rows] final class FindAnyRows(
    context: SparkContext,
    table: String,
    conf: SQLConf,
    selectivity: Selectivity,
    bytes: Long
) extends Logging {

  /**
   * By jobs of which each reads more partitions of the table; see [[NextWave]].
   *
   * @param likely decides in which order they are read
   * @return none if there are too many groups, or their keys are too large
   */
  def inWaves(
      scan: PositionScan,
      limit: Int,
      likely: LikelyRowGroups,
      collected: CollectedRows
  ): Option[FoundPositions] = {
    val (rows, bytesRead) = CountedBytes.of(context, scan.plan.execute())
    val order = likely.order(rows.partitions)
    val partitions = order.ordinals.size
    // The others are read after these. If they have rows, metadata are wrong.
    val mayMatch = if (order.mayMatch == 0) partitions else order.mayMatch
    val next = NextWave(
      mayMatch,
      conf.getConf(SQLConf.LIMIT_INITIAL_NUM_PARTITIONS).max(1),
      conf.limitScaleUpFactor,
      context.defaultParallelism,
      selectivity.rowsPerByte.map(_ * bytes)
    )

    @tailrec
    def search(from: Int, wave: Int, last: Int): Option[FoundPositions] = {
      val found = collected.found
      def areTooMany = found < limit && from < partitions &&
        collected.mostTasks < (partitions - from).min(context.defaultParallelism)
      // A task of the last job may have left out keys, too.
      if (collected.isTooLarge || areTooMany) {
        logInfo(s"The keys of groups are too large to be counted, so Spark's own scan reads the table $table")
        None
      } else if (found >= limit || from >= partitions) {
        if (from > 0 && bytes > 0)
          selectivity.add(
            found.toDouble / bytes * mayMatch / from.min(mayMatch),
            areLeast = !collected.areAll
          )
        Some(FoundPositions(collected.positions, found < limit, wave, bytesRead()))
      } else {
        val wanted =
          if (from < mayMatch) next.size(from, last, wave, found, (limit - found).toInt)
          else partitions - from
        val size = wanted.min(collected.mostTasks)
        NamedJob(context, s"limit pruning: rows of $table, wave ${wave + 1}") {
          collected.add(context.runJob(
            rows,
            collected.inTask(size),
            order.ordinals.slice(from, from + size)
          ).toSeq)
        }
        search(from + size, wave + 1, size)
      }
    }

    search(0, 0, 0)
  }

  /**
   * By one job that reads a sample of the row groups.
   *
   * @param plan reads the sample
   * @return none if the sample does not have enough rows
   */
  def inSample(plan: SparkPlan, limit: Int, collected: CollectedRows): Option[FoundPositions] = {
    val (rows, bytesRead) = CountedBytes.of(context, plan.execute())
    NamedJob(context, s"limit pruning: rows of $table, sample") {
      collected.add(context.runJob(rows, collected.inTask(rows.getNumPartitions)).toSeq)
    }
    if (collected.found >= limit)
      Some(FoundPositions(collected.positions, areAll = false, 1, bytesRead()))
    else {
      logInfo(s"A sample of the table $table has ${collected.found} groups, so Spark's own scan reads it")
      None
    }
  }
}
