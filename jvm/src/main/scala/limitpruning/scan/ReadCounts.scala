package limitpruning.scan

import scala.util.Try

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.execution.metric.SQLMetric

/** The SQL metrics of what a task reads. */
private[scan] final case class ReadCounts(rowGroups: SQLMetric, bytes: SQLMetric, readAgain: SQLMetric) {

  /** A row group is opened, and its bytes are read. */
  def read(planned: PlannedRowGroup): Unit = {
    rowGroups += 1
    bytes += planned.bytes
  }

  /**
   * A row group is read once more, without its page index: at most the compressed bytes of all columns, which are 0 if one is
   * encrypted with an unknown key.
   */
  def readsAgain(rowGroup: BlockMetaData): Unit = {
    readAgain += 1
    bytes += Try(rowGroup.getCompressedSize).getOrElse(0L)
  }
}
