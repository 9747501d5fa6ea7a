package limitpruning.scan

import org.apache.spark.sql.execution.datasources.PartitionedFile

import limitpruning.parquet.VectorizedReader

/**
 * Decides how much is read of a part of a file that planning did not inspect, when it is open. Runs on executors, with one instance
 * for each task.
 */
private[scan] trait NarrowUnseen extends Serializable {

  /**
   * @param all the open reader of all columns, which has read nothing yet
   * @return what to read of its row groups, from the first one on; none for everything
   */
  def apply(file: PartitionedFile, all: VectorizedReader): Option[Seq[PlannedRowGroup]]
}
