package limitpruning.scan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.PartitionedFile

/** Finds out how much of a file, which planning did not inspect, is enough. Runs on executors. */
sealed trait WhileReading extends Serializable

/**
 * Reads only the first rows of each part of a file. All rows must match. Nothing is proved, so nothing is checked: these
 * rows are as good as any others of the file.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param minBytes minimum bytes of a row group from which only pages are read; for less, reading the page index does not
 *   pay. None if pages are never read
 */
final case class FirstRows(limit: Long, minBytes: Option[Long]) extends WhileReading

/**
 * Reads only the rows of each part of a file that match, at most as many as the LIMIT needs. The columns of the predicate are
 * read first. Nothing is proved, so nothing is checked, and the plan keeps its filter. Stays on the driver, where
 * [[SelectionRead]] makes a [[RowFilter]] of it.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param conjuncts the predicate, over the output of the scan
 * @param minPageBytes see [[FirstRows]]
 */
final case class MatchingRowsOnly(limit: Long, conjuncts: Seq[Expression], minPageBytes: Option[Long])
    extends WhileReading

/** Finds the rows of a part of a file that match, when it is read. Runs on executors, with one instance for each task. */
private[scan] trait FindMatchingRows extends WhileReading {

  /**
   * @param all the open reader of all columns, which has read nothing yet
   * @return what to read of its row groups, from the first one on; none for everything
   */
  def apply(file: PartitionedFile, all: VectorizedReader): Option[Seq[PlannedRowGroup]]
}
