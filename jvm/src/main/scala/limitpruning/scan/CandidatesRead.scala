package limitpruning.scan

import java.io.Closeable

import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * Passes on whatever rows Spark's reader gives of a run of row groups from which it leaves out what its filters exclude.
 * Which row groups it read is not told, so all of the run count with its first row.
 *
 * @param rows the reader's rows, or batches of rows
 */
private[scan] final class CandidatesRead(
    rows: Iterator[Any],
    planned: Seq[PlannedRowGroup],
    rowGroupsRead: SQLMetric,
    bytesRead: SQLMetric
) extends Iterator[Any]
    with Closeable {
  private var isBegun = false

  override def hasNext: Boolean = rows.hasNext

  override def next(): Any = {
    val element = rows.next()
    if (!isBegun) {
      isBegun = true
      rowGroupsRead += planned.size.toLong
      bytesRead += planned.map(_.bytes).sum
    }
    element
  }

  override def close(): Unit = CloseRows(rows)
}
