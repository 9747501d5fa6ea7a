package limitpruning.scan

import java.io.Closeable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.SerializableConfiguration

import limitpruning.select.FileVersion

/**
 * Opens a part of a file that planning did not look at with Spark's own reader. Nothing was planned of it, so nothing
 * depends on what it was when it was listed. Where fewer row groups will do, they are read from the file that was inspected,
 * or the query fails: another one may hold fewer rows in the same places. Runs on executors.
 *
 * @param look finds out whether less than all of it will do
 */
private[scan] final class ReadUnseenFile(
    read: PartitionedFile => Iterator[InternalRow],
    look: Option[InspectWhileReading],
    conf: SerializableConfiguration,
    rowGroupsRead: SQLMetric,
    bytesRead: SQLMetric
) extends (PartitionedFile => Iterator[InternalRow])
    with Serializable {

  override def apply(file: PartitionedFile): Iterator[InternalRow] = look.flatMap(enoughOf(_, file)) match {
    case Some(enough) =>
      rowGroupsRead += enough.rowGroups.toLong
      bytesRead += enough.bytes
      val parts =
        enough.ranges.map { case (start, length) => file.copy(start = start, length = length) }
      val check = new CheckUnchanged(file, enough.version, conf.value)
      val opened = parts.iterator.map(part => check.opening(read(part)))
      // Spark types the batches of its columnar readers as rows, too.
      new ReadUnseenFile.OneByOne(opened).asInstanceOf[Iterator[InternalRow]]
    case None =>
      bytesRead += file.length
      read(file)
  }

  private def enoughOf(look: InspectWhileReading, file: PartitionedFile): Option[EnoughRows] = {
    val path = file.toPath
    val status = path.getFileSystem(conf.value).getFileStatus(path)
    look(status, file.partitionValues, file.start, file.length, conf.value)
  }
}

private object ReadUnseenFile {

  /** Opens each when the one before has been read, and closes the last that was opened. */
  private final class OneByOne(parts: Iterator[Iterator[Any]]) extends Iterator[Any] with Closeable {
    private var current: Iterator[Any] = Iterator.empty

    override def hasNext: Boolean = {
      while (!current.hasNext && parts.hasNext) current = parts.next()
      current.hasNext
    }

    override def next(): Any = current.next()

    override def close(): Unit = CloseRows(current)
  }
}

/**
 * Looks at a file that planning did not look at, where it is read. Runs on executors; one for each task.
 */
trait InspectWhileReading extends Serializable {

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
