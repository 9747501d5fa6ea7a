package limitpruning.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.SerializableConfiguration

import limitpruning.parquet.{FooterReader, FooterSeal}
import limitpruning.select.FileVersion

/**
 * Opens one run of row groups with Spark's own reader, after making sure that the file is still the one whose
 * footer was read. Runs on executors.
 *
 * @param read Spark's reader for the format
 * @param skip tells what need not be read any more
 * @param look finds out whether less than all of a file will do of which nothing was planned
 * @param areProved whether all planned rows are wanted, and no others: then there are just as many as planned
 */
private[scan] final class ReadPlannedFile(
    read: PartitionedFile => Iterator[InternalRow],
    areProved: Boolean,
    conf: SerializableConfiguration,
    rowGroupsRead: SQLMetric,
    bytesRead: SQLMetric,
    skip: Option[SkipBehindBound] = None,
    look: Option[LookWhileReading] = None
) extends (PartitionedFile => Iterator[InternalRow])
    with Serializable {

  private val unseen = new ReadUnseenFile(read, look, conf, rowGroupsRead, bytesRead)

  override def apply(file: PartitionedFile): Iterator[InternalRow] = ReadPlannedFile.planned(file) match {
    case Some(run) if skip.exists(_(run.rowGroups)) => Iterator.empty
    case Some(run) =>
      checkUnchanged(file, run.version)
      readPlanned(file, run.rowGroups)
    case None => unseen(file)
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

  private def checkUnchanged(file: PartitionedFile, version: FileVersion): Unit = {
    def refuse(problem: String): Nothing = throw new FileChangedException(file.urlEncodedPath, problem)
    val path = file.toPath
    val status = path.getFileSystem(conf.value).getFileStatus(path)
    if (status.getLen != version.length)
      refuse(s"it has ${status.getLen} bytes instead of ${version.length}")
    if (status.getModificationTime != version.modificationTime)
      refuse("it was written to after it had been listed")
    // Times are as coarse as a second on some storage, and can be set; what was proved rests on the footer alone.
    val seal = FooterSeal(version.footerLength, version.footerChecksum)
    if (!new FooterReader(conf.value).hasSeal(status, seal)) refuse("it has another footer")
  }
}

private[scan] object ReadPlannedFile {

  /** The key under which a split carries what is to be read of it. */
  private val PlannedKey = "limitpruning.planned"

  def plan(run: PlannedRun): Map[String, Any] = Map(PlannedKey -> run)

  /** None for a file whose footer was not looked at. */
  def planned(file: PartitionedFile): Option[PlannedRun] =
    file.otherConstantMetadataColumnValues.get(PlannedKey).map(_.asInstanceOf[PlannedRun])
}
