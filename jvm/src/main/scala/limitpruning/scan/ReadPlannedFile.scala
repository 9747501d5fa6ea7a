package limitpruning.scan

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.SerializableConfiguration

/**
 * Opens the row groups of one run with Spark's own reader, and checks that the file is still the one whose footer
 * was read. Runs on executors.
 *
 * @param read Spark's reader for the format
 * @param skip finds row groups that are no longer needed
 * @param whileReading finds out whether a part of a file is enough, for files without a selection
 * @param reserveRead counts the parts of the reserve that are read; none if there is no reserve, and a file that cannot be
 *   read is an error
 * @param allRowsMatch whether the LIMIT needs all planned rows and no others; the reader must then return
 *   exactly as many rows as planned
 */
private[scan] final class ReadPlannedFile(
    read: PartitionedFile => Iterator[InternalRow],
    allRowsMatch: Boolean,
    conf: Broadcast[SerializableConfiguration],
    counts: ReadCounts,
    skip: Option[SkipBehindThreshold] = None,
    whileReading: Option[WhileReading] = None,
    reserveRead: Option[SQLMetric] = None
) extends (PartitionedFile => Iterator[InternalRow])
    with Serializable {

  private val unseen = new ReadUnseenFile(read, whileReading, counts, isTolerant = reserveRead.nonEmpty)

  override def apply(file: PartitionedFile): Iterator[InternalRow] = {
    val planned = ReadPlannedFile.planned(file)
    if (planned.forall(_.isReserve)) reserveRead.foreach(_ += 1)
    planned match {
      case Some(run) if skip.exists(_(run.rowGroups)) => Iterator.empty
      case Some(run) => readPlanned(file, run)
      case None => unseen(file)
    }
  }

  private def readPlanned(file: PartitionedFile, run: PlannedRun): Iterator[InternalRow] = {
    val check =
      new CheckUnchanged(file, run.version, conf.value.value, isTolerant = reserveRead.nonEmpty)
    val rows = check.opening(read(file))(chosen(_, file, run, check))
    // Spark also types the batches of its columnar readers as rows.
    rows.asInstanceOf[Iterator[InternalRow]]
  }

  private def chosen(
      all: Iterator[Any],
      file: PartitionedFile,
      run: PlannedRun,
      check: CheckUnchanged
  ): Iterator[Any] = {
    val path = file.urlEncodedPath
    def reopen(): Iterator[Any] = {
      check.now()
      check.orElse(read(file))
    }
    def narrowed(onRead: PlannedRowGroup => Unit): Option[Iterator[Any]] =
      if (run.isWhole && !canSkip(run)) None
      else
        new NarrowPlanned(run, path, () => reopen(), skip, counts, onRead)(all, areFiltered = !allRowsMatch)
    if (allRowsMatch) {
      val rows = narrowed(_ => ()).getOrElse(if (run.isWhole) all else new RowsInRanges(all, run))
      new PlannedRows(rows, path, run.rowGroups, check, counts)
    } else {
      val some = narrowed { rowGroup =>
        check.whileOpen()
        counts.read(rowGroup)
      }
      // Other tasks may read the row groups between them.
      if (some.isEmpty && run.size != run.rowGroups.size) RowsInRanges.cannotRead()
      new CandidatesRead(some.getOrElse(all), if (some.isEmpty) run.rowGroups else Nil, check, counts)
    }
  }

  /** Whether a part of the run may turn out to be needless while the rest is read. */
  private def canSkip(run: PlannedRun): Boolean = skip.nonEmpty && run.rowGroups.size > 1
}

private[scan] object ReadPlannedFile {

  /** The key in the constant metadata of a split for the part of the file to read. */
  private val PlannedKey = "limitpruning.planned"

  def plan(run: PlannedRun): Map[String, Any] = Map(PlannedKey -> run)

  /** None for a file that was not inspected. */
  def planned(file: PartitionedFile): Option[PlannedRun] =
    file.otherConstantMetadataColumnValues.get(PlannedKey).map(_.asInstanceOf[PlannedRun])
}
