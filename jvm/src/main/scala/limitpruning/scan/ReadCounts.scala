package limitpruning.scan

import org.apache.spark.sql.execution.metric.SQLMetric

/** The SQL metrics of what a task reads. */
private[scan] final case class ReadCounts(rowGroups: SQLMetric, bytes: SQLMetric, readAgain: SQLMetric) {

  /** A row group is opened, and its bytes are read. */
  def read(planned: PlannedRowGroup): Unit = {
    rowGroups += 1
    bytes += planned.bytes
  }

  /** A row group is read once more, without its page index. */
  def readsAgain(bytesOfRowGroup: Long): Unit = {
    readAgain += 1
    bytes += bytesOfRowGroup
  }
}
