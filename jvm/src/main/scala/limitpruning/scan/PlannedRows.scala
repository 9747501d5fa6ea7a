package limitpruning.scan

import java.io.Closeable

import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Passes on the rows of a run of row groups, counts the row groups that are begun, and makes sure that the file did not
 * change before their bytes had been read, and at the end that there were just as many rows as planned.
 *
 * @param rows the reader's rows, or batches of rows, which do not cross row groups: those that are planned
 * @param planned the row groups of the run
 * @param check whether the file is still the one that was planned
 * @param bytesRead compressed bytes; a row group's are read together, when its first row is
 */
private[scan] final class PlannedRows(
    rows: Iterator[Any],
    path: String,
    planned: Seq[PlannedRowGroup],
    check: CheckUnchanged,
    rowGroupsRead: SQLMetric,
    bytesRead: SQLMetric
) extends Iterator[Any]
    with Closeable {
  private val total = planned.map(_.rowsToRead).sum
  private var delivered = 0L
  private var begun = 0
  private var nextBegins = 0L

  override def hasNext: Boolean = {
    val more = check.orElse(rows.hasNext)
    if (!more && delivered != total)
      throw new FileChangedException(path, s"it has $delivered rows instead of $total")
    more
  }

  override def next(): Any = {
    val element = rows.next()
    // A row group's bytes are read together: now they have been.
    if (nextBegins <= delivered) check.whileOpen()
    while (begun < planned.length && nextBegins <= delivered) {
      nextBegins += planned(begun).rowsToRead
      rowGroupsRead += 1
      bytesRead += planned(begun).bytes
      begun += 1
    }
    delivered +=
      (element match {
        case batch: ColumnarBatch => batch.numRows().toLong
        case _ => 1L
      })
    element
  }

  override def close(): Unit = CloseRows(rows)
}
