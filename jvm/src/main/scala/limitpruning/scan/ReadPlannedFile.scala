package limitpruning.scan

import java.io.Closeable

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.SerializableConfiguration

/**
 * Opens one run of row groups with Spark's own reader, and makes sure that the file is still the one whose footer was
 * read. Runs on executors.
 *
 * @param read Spark's reader for the format
 */
private[scan] final class ReadPlannedFile(
    read: PartitionedFile => Iterator[InternalRow],
    conf: SerializableConfiguration,
    rowGroupsRead: SQLMetric,
    bytesRead: SQLMetric
) extends (PartitionedFile => Iterator[InternalRow])
    with Serializable {

  override def apply(file: PartitionedFile): Iterator[InternalRow] = {
    val all = open(file)
    try chosen(all, file).asInstanceOf[Iterator[InternalRow]] // as Spark types the batches of its columnar readers, too
    catch {
      case error: Throwable =>
        close(all) // as nobody else knows of it yet
        throw error
    }
  }

  private def open(file: PartitionedFile): Iterator[InternalRow] =
    try read(file)
    catch {
      case NonFatal(error) =>
        checkUnchanged(file) // what could not be opened because it changed is better told so
        throw error
    }

  private def chosen(all: Iterator[InternalRow], file: PartitionedFile): PlannedRows = {
    // Only now, as what is open stays the file that it was: one that was replaced before that is found out here.
    checkUnchanged(file)
    val path = file.urlEncodedPath
    val planned = ReadPlannedFile.planned(file)
    val rows =
      if (planned.forall(_.isWhole) || ReadRowRanges.narrow(all, planned, path)) all
      else new RowsInRanges(all, planned)
    new PlannedRows(rows, path, planned, rowGroupsRead, bytesRead)
  }

  private def close(rows: Iterator[_]): Unit = rows match {
    case open: Closeable => open.close()
    case _ =>
  }

  private def checkUnchanged(file: PartitionedFile): Unit = {
    val path = file.toPath
    val status = path.getFileSystem(conf.value).getFileStatus(path)
    if (status.getLen != file.fileSize)
      throw new FileChangedException(
        file.urlEncodedPath,
        s"it has ${status.getLen} bytes instead of ${file.fileSize}"
      )
    if (status.getModificationTime != file.modificationTime)
      throw new FileChangedException(file.urlEncodedPath, "it was written to after it had been listed")
  }
}

private[scan] object ReadPlannedFile {

  /** The key under which a split carries what is to be read of each of its row groups. */
  private val PlannedKey = "limitpruning.planned"

  def plan(rowGroups: Seq[PlannedRowGroup]): Map[String, Any] = Map(PlannedKey -> rowGroups.toVector)

  def planned(file: PartitionedFile): Seq[PlannedRowGroup] =
    file.otherConstantMetadataColumnValues(PlannedKey).asInstanceOf[Seq[PlannedRowGroup]]
}
