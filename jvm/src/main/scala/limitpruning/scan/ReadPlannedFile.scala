package limitpruning.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.SerializableConfiguration

/**
 * Opens one run of row groups with Spark's own reader, after making sure that the file is still the one whose
 * footer was read. Runs on executors.
 *
 * @param read Spark's reader for the format
 * @param skip tells what need not be read any more
 * @param areProved whether all planned rows are wanted, and no others: then there are just as many as planned
 */
private[scan] final class ReadPlannedFile(
    read: PartitionedFile => Iterator[InternalRow],
    areProved: Boolean,
    conf: SerializableConfiguration,
    rowGroupsRead: SQLMetric,
    bytesRead: SQLMetric,
    skip: Option[SkipBehindBound] = None
) extends (PartitionedFile => Iterator[InternalRow])
    with Serializable {

  override def apply(file: PartitionedFile): Iterator[InternalRow] = ReadPlannedFile.planned(file) match {
    case Some(planned) if skip.exists(_(planned)) => Iterator.empty
    case Some(planned) =>
      checkUnchanged(file)
      readPlanned(file, planned)
    case None => readUnseen(file)
  }

  /** Nothing was planned of the file, so nothing depends on what it was when it was listed. */
  private def readUnseen(file: PartitionedFile): Iterator[InternalRow] = {
    bytesRead += file.length
    read(file)
  }

  private def readPlanned(file: PartitionedFile, planned: Seq[PlannedRowGroup]): Iterator[InternalRow] = {
    val path = file.urlEncodedPath
    val all = read(file)
    val isWhole = planned.forall(_.isWhole)
    val rows =
      if (areProved) {
        val chosen =
          if (isWhole || ReadRowRanges.narrow(all, planned, path)) all else new RowsInRanges(all, planned)
        new PlannedRows(chosen, path, planned, rowGroupsRead, bytesRead)
      } else {
        if (!isWhole) ReadRowRanges.narrowFiltered(all, planned)
        new CandidatesRead(all, planned, rowGroupsRead, bytesRead)
      }
    rows.asInstanceOf[Iterator[InternalRow]] // as Spark types the batches of its columnar readers, too
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

  /** None for a file whose footer was not looked at. */
  def planned(file: PartitionedFile): Option[Seq[PlannedRowGroup]] =
    file.otherConstantMetadataColumnValues.get(PlannedKey).map(_.asInstanceOf[Seq[PlannedRowGroup]])
}
