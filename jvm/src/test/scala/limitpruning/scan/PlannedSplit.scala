package limitpruning.scan

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile

/** A split of a file as it was listed, of which some row groups are planned to be read whole. */
object PlannedSplit {
  def apply(listed: FileStatus, rowGroups: PlannedRowGroup*): PartitionedFile = PartitionedFile(
    InternalRow.empty,
    SparkPath.fromPath(listed.getPath),
    0,
    10,
    Array.empty[String],
    listed.getModificationTime,
    listed.getLen,
    ReadPlannedFile.plan(rowGroups)
  )
}
