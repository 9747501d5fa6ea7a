package limitpruning.select

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata

/**
 * One file as the table's listing gave it. A path does not identify it: a table that is read from the same path twice lists
 * each file twice, and two partitions at one location list the same file with different values.
 *
 * @param partitionValues the values of its directory, in the order of the partition schema
 * @param file its status, and the metadata that the listing adds
 * @param position its place in the order of reading, which no other file of the listing has
 */
final case class ListedFile(partitionValues: InternalRow, file: FileStatusWithMetadata, position: Int) {
  def status: FileStatus = file.fileStatus
  def path: String = status.getPath.toString

  /** Bytes, when it was listed. */
  def length: Long = status.getLen
}

object ListedFile {
  def apply(partitionValues: InternalRow, status: FileStatus, position: Int = 0): ListedFile =
    ListedFile(partitionValues, FileStatusWithMetadata(status), position)
}
