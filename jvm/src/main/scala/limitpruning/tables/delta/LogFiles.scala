package limitpruning.tables.delta

import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.implicits._
import org.apache.spark.sql.functions.{col, struct, to_json}

import limitpruning.footers.LogPart

/**
 * All files of a version of a Delta table.
 *
 * @param files without their statistics
 * @param rows the rows of each file that are not deleted; -1 if the log does not say
 */
private[delta] final class LogFiles(val files: IndexedSeq[AddFile], rows: Array[Long]) extends LogPart {

  val bytes: Long = files.map(_.size).sum

  override val size: Int = files.map { file =>
    LogFiles.ActionSize + file.path.length + file.partitionValues.map { case (column, value) =>
      column.length + Option(value).fold(0)(_.length)
    }.sum
  }.sum

  /** The first files that have enough rows together; all files if their numbers of rows are not known. */
  def enoughFor(limit: Int): Seq[AddFile] = {
    val known = rows.indices.filter(rows(_) >= 0)
    val before = known.scanLeft(0L)((sum, i) => sum + rows(i))
    if (before.last < limit) files
    else known.zip(before).takeWhile(_._2 < limit).map { case (i, _) => files(i) }
  }
}

private[delta] object LogFiles {

  /** An action without its path and partition values, of which most fields are null. */
  private val ActionSize = 400

  /** Reads the log in one Spark job, as Delta does for each LIMIT. */
  def of(snapshot: Snapshot): LogFiles = {
    val counted = snapshot.withStats.withColumn("stats", to_json(struct(col("stats.numRecords"))))
      .as[AddFile].collect().toIndexedSeq
    val rows = counted.map(_.numLogicalRecords.map(_.longValue).getOrElse(-1L)).toArray
    new LogFiles(counted.map(_.copy(stats = null)), rows)
  }
}
