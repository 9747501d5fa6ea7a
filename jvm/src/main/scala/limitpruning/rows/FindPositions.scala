package limitpruning.rows

import org.apache.spark.SparkException
import org.apache.spark.internal.Logging
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import limitpruning.footers.Selectivity
import limitpruning.search.{LikelyRowGroups, LimitPlan}
import limitpruning.shims.{ClassicSession, SparkShims}

/**
 * Rows that satisfy a predicate.
 *
 * @param positions by file
 * @param areAll whether the table has no other such rows; only if they are fewer than the LIMIT needs
 * @param waves the number of jobs that found them
 * @param bytes that these jobs read
 */
private[rows] final case class FoundPositions(
    positions: Seq[Positions],
    areAll: Boolean,
    waves: Int,
    bytes: Long
) {
  def rows: Long = positions.iterator.map(_.rows.length.toLong).sum
}

/**
 * Finds the positions of the rows that a LIMIT needs, by Spark jobs that read a [[PositionScan]].
 *
 * @param table its name, for the descriptions of the jobs
 * @param selectivity what is known about the predicate
 * @param bytes of the files that the scan reads
 */
private[rows] final class FindPositions(
    session: ClassicSession,
    table: String,
    conf: SQLConf,
    selectivity: Selectivity,
    bytes: Long
) extends Logging {
  private val context = session.sparkContext

  /**
   * The first rows in the order of the scan, or the first rows of each group if it has groups, too; one row of each of any groups if it
   * has groups alone; any rows if it has neither.
   *
   * @param likely decides the order in which any rows are searched for
   * @param bestFirst the row groups that may have the first rows, best first; none if that is not known
   * @param sample the scan of a part of the table in which one row of each of any groups is searched for, if Spark can read this part
   *   alone; none for the whole scan
   * @return none if a job fails: the row that it fails at may be one that plain Spark does not read; or if there are too many
   *   groups, or their keys are too large, or a sample has too few of them
   */
  def apply(
      scan: PositionScan,
      limit: Int,
      likely: LikelyRowGroups = LikelyRowGroups.none,
      bestFirst: => Option[LimitPlan] = None,
      sample: Option[PositionScan => Option[SparkPlan]] = None
  ): Option[FoundPositions] = {
    lazy val first = new FindFirstRows(context, table)
    lazy val any = new FindAnyRows(context, table, conf, selectivity, bytes)
    try
      if (scan.groups > 0 && scan.order.nonEmpty) new FindFirstOfGroups(context, table)(scan, limit)
      else if (scan.order.nonEmpty) {
        val waves = if (scan.readsRowGroups) bestFirst.flatMap(BestFirst(scan, _)) else None
        Some(waves.fold(first.inOneJob(scan, limit))(first.inWaves(scan, limit, _)))
      } else if (scan.groups > 0) {
        val groups = new RowsOfGroups(limit, scan)
        sample match {
          case Some(some) => some(scan).flatMap(any.inSample(_, limit, groups))
          case None => any.inWaves(scan, limit, likely, groups)
        }
      } else any.inWaves(scan, limit, likely, new AnyRows(limit))
    catch {
      case error: SparkException if !SparkShims.isCancelled(error) =>
        logWarning(
          "A job that searched for the rows of a LIMIT failed, so Spark's own scan reads the table",
          error
        )
        None
    }
  }
}
