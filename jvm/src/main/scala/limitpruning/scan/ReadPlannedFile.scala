package limitpruning.scan

import java.io.Closeable

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
    val check = new CheckUnchanged(file, conf.value)
    val all = check.orElse(read(file))
    try {
      // Only now that it is open: a file that is replaced at the last moment is found out, too.
      check.now()
      chosen(all, file, check).asInstanceOf[Iterator[InternalRow]] // as Spark types the batches of its columnar readers
    } catch {
      case error: Throwable =>
        close(all) // as nobody else knows of it yet
        throw error
    }
  }

  private def chosen(all: Iterator[InternalRow], file: PartitionedFile, check: CheckUnchanged): PlannedRows = {
    val path = file.urlEncodedPath
    val planned = ReadPlannedFile.planned(file)
    val rows =
      if (planned.forall(_.isWhole) || ReadRowRanges.narrow(all, planned, path)) all
      else new RowsInRanges(all, planned)
    new PlannedRows(rows, path, planned, check, rowGroupsRead, bytesRead)
  }

  private def close(rows: Iterator[_]): Unit = rows match {
    case open: Closeable => open.close()
    case _ =>
  }
}

private[scan] object ReadPlannedFile {

  /** The key under which a split carries what is to be read of each of its row groups. */
  private val PlannedKey = "limitpruning.planned"

  def plan(rowGroups: Seq[PlannedRowGroup]): Map[String, Any] = Map(PlannedKey -> rowGroups.toVector)

  def planned(file: PartitionedFile): Seq[PlannedRowGroup] =
    file.otherConstantMetadataColumnValues(PlannedKey).asInstanceOf[Seq[PlannedRowGroup]]
}
