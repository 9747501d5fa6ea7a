package limitpruning.scan

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow

import limitpruning.select.FileVersion

/**
 * Looks at a file that planning did not look at, where it is read. Runs on executors; one for each task.
 */
trait LookWhileReading extends Serializable {

  /**
   * @param from the first byte of the part of the file that is to be read
   * @param length of this part, in bytes
   * @return what will do of this part; none where all of it is to be read
   */
  def apply(
      file: FileStatus,
      partitionValues: InternalRow,
      from: Long,
      length: Long,
      conf: Configuration
  ): Option[EnoughRows]
}

/**
 * Row groups that hold enough matching rows.
 *
 * @param ranges the byte ranges by which they are read, as start and length
 * @param rowGroups how many they are
 * @param bytes compressed bytes of all their columns
 * @param version the file in which they are
 */
final case class EnoughRows(ranges: Seq[(Long, Long)], rowGroups: Int, bytes: Long, version: FileVersion)
