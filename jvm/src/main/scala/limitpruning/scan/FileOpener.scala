package limitpruning.scan

import java.io.{Closeable, FileNotFoundException}
import java.nio.file.NoSuchFileException
import java.util.IdentityHashMap

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.SerializableConfiguration

import limitpruning.parquet.VectorizedReader
import limitpruning.select.RowRange

/**
 * Opens a part of a file with Spark's own reader, and returns the rows to read. What was planned is read from the file that was
 * planned, or the query fails. Planning proved nothing about a file that it did not inspect. Runs on executors.
 *
 * @param read Spark's reader for the format
 * @param allRowsMatch whether the LIMIT needs all planned rows and no others; the reader must then return
 *   exactly as many rows as planned
 * @param skip finds row groups that are no longer needed
 * @param narrowUnseen decides how much is read of files that planning did not inspect
 * @param reserveRead counts the parts of the reserve that are read; none if there is no reserve, and a file that cannot be
 *   read is an error
 */
private[scan] final class FileOpener(
    read: PartitionedFile => Iterator[InternalRow],
    allRowsMatch: Boolean,
    conf: Broadcast[SerializableConfiguration],
    counts: ReadCounts,
    skip: Option[SkipBehindThreshold] = None,
    narrowUnseen: Option[NarrowUnseen] = None,
    reserveRead: Option[SQLMetric] = None
) extends (PartitionedFile => Iterator[InternalRow])
    with Serializable {

  override def apply(file: PartitionedFile): Iterator[InternalRow] = {
    val planned = FileOpener.planned(file)
    if (planned.forall(_.isReserve)) reserveRead.foreach(_ += 1)
    val rows = planned match {
      case Some(run) if skip.exists(_(run.rowGroups)) => Iterator.empty
      case Some(run) => openPlanned(file, run)
      case None if isTolerant => openUnseen(file)
      case None => new FileOpener.UntilDeleted(openUnseen(file), file.urlEncodedPath)
    }
    // Spark also types the batches of its columnar readers as rows.
    rows.asInstanceOf[Iterator[InternalRow]]
  }

  /** Whether Spark may skip a file that cannot be read. Errors of reading then stay as they are. */
  private def isTolerant: Boolean = reserveRead.nonEmpty

  private def openPlanned(file: PartitionedFile, run: PlannedRun): Iterator[Any] = {
    val path = file.urlEncodedPath
    val check = new CheckUnchanged(file, run.version, conf.value.value, isTolerant)
    def reopen(): Iterator[Any] = {
      check.now()
      check.orElse(read(file))
    }
    // A part of the run may turn out to be needless while the rest is read.
    val isAllNeeded = run.isWhole && (skip.isEmpty || run.rowGroups.size == 1)
    def narrowed(rows: Iterator[Any], onRead: PlannedRowGroup => Unit): Option[Iterator[Any]] =
      if (isAllNeeded) None
      else
        VectorizedReader.of(rows).map { reader =>
          narrow(reader, path, plannedIn(reader, run, path), () => reopen(), onRead)
        }
    check.opening(read(file)) { all =>
      if (allRowsMatch) {
        val rows = narrowed(all, _ => ()).getOrElse(if (run.isWhole) all else new RowsInRanges(all, run))
        new PlannedRows(rows, path, run.rowGroups, check, counts)
      } else {
        def count(rowGroup: PlannedRowGroup): Unit = {
          check.whileOpen()
          counts.read(rowGroup)
        }
        val some = narrowed(all, count(_))
        // Other tasks may read the row groups between them.
        if (some.isEmpty && run.size != run.rowGroups.size) RowsInRanges.cannotRead()
        new CandidatesRead(some.getOrElse(all), if (some.isEmpty) run.rowGroups else Nil, check, counts)
      }
    }
  }

  /**
   * By row group of the reader, what is planned for it.
   *
   * @throws FileChangedException if the split has other row groups than planned
   */
  private def plannedIn(
      reader: VectorizedReader,
      run: PlannedRun,
      path: String
  ): IndexedSeq[Option[PlannedRowGroup]] = {
    // The reader's filters exclude row groups and pages.
    val all = (if (allRowsMatch) reader.rowGroups else reader.ofSplit).filter(_.getRowCount > 0)
    def found(rowGroup: PlannedRowGroup) = all.lift(rowGroup.ordinal - run.first)
    if (all.size != run.size || !run.rowGroups.forall(one => found(one).exists(_.getRowCount == one.rows)))
      throw new FileChangedException(
        path,
        s"its row groups have ${all.map(_.getRowCount).mkString(", ")} rows instead of ${run.rowGroups.map(_.rows).mkString(", ")}"
      )
    val planned = new IdentityHashMap[BlockMetaData, PlannedRowGroup]
    for (rowGroup <- run.rowGroups; block <- found(rowGroup)) planned.put(block, rowGroup)
    reader.rowGroups.zipWithIndex.map { case (block, position) =>
      Option(planned.get(block)).map(one => if (allRowsMatch) one else filtered(one, reader, position))
    }
  }

  /** Without the rows that the reader's filters exclude. */
  private def filtered(planned: PlannedRowGroup, reader: VectorizedReader, position: Int): PlannedRowGroup = {
    val left = reader.rangesByFilters(position)
    planned.copy(
      ranges = RowRange.intersection(planned.ranges, left),
      // Pages that the reader's filters exclude are skipped by the page index.
      inWholeChunks = planned.inWholeChunks && left == VectorizedReader.all(reader.rowGroups(position))
    )
  }

  private def openUnseen(file: PartitionedFile): Iterator[Any] =
    narrowUnseen.fold(readAll(file))(narrow => readSome(file)(narrow(file, _)))

  private def readAll(file: PartitionedFile): Iterator[Any] = {
    counts.bytes += file.length
    read(file)
  }

  /** @param choose the row groups and rows to read, from the first row group of the reader on; none for all */
  private def readSome(file: PartitionedFile)(choose: VectorizedReader => Option[Seq[PlannedRowGroup]])
      : Iterator[Any] = {
    val rows = read(file)
    try {
      val narrowed = for {
        reader <- VectorizedReader.of(rows)
        chosen <- choose(reader)
      } yield {
        counts.rowGroups += chosen.count(_.rowsToRead > 0).toLong
        counts.bytes += chosen.map(_.bytes).sum
        narrow(reader, file.urlEncodedPath, chosen.lift, () => read(file), onRead = _ => ())
      }
      narrowed.getOrElse {
        counts.bytes += file.length
        rows
      }
    } catch {
      case error: Throwable =>
        CloseRows(rows) // no other code can close them yet
        throw error
    }
  }

  private def narrow(
      reader: VectorizedReader,
      path: String,
      planned: Int => Option[PlannedRowGroup],
      reopen: () => Iterator[Any],
      onRead: PlannedRowGroup => Unit
  ): NarrowedRows = new NarrowedRows(
    reader,
    planned,
    path,
    reopen,
    onRead,
    onReadAgain = i => counts.readsAgain(reader.rowGroups(i)),
    isSkipped = rowGroup => skip.exists(_(Seq(rowGroup)))
  )
}

private[scan] object FileOpener {

  /** The key in the constant metadata of a split for the part of the file to read. */
  private val PlannedKey = "limitpruning.planned"

  def plan(run: PlannedRun): Map[String, Any] = Map(PlannedKey -> run)

  /** None for a file that was not inspected. */
  def planned(file: PartitionedFile): Option[PlannedRun] =
    file.otherConstantMetadataColumnValues.get(PlannedKey).map(_.asInstanceOf[PlannedRun])

  /**
   * Rows of a file that may be deleted while it is read. On local file systems, vectored reads open its path again and fail
   * with an error of Java's own, which Spark does not know as that of a missing file: its hint to run REFRESH TABLE would be
   * missing.
   */
  private[scan] final class UntilDeleted(rows: Iterator[Any], path: String) extends Iterator[Any]
      with Closeable {
    override def hasNext: Boolean =
      try rows.hasNext
      catch {
        case deleted: NoSuchFileException =>
          val error = new FileNotFoundException(s"File $path does not exist")
          error.initCause(deleted)
          throw error
      }

    override def next(): Any = rows.next()

    override def close(): Unit = CloseRows(rows)
  }
}
