package limitpruning.scan

import java.io.Closeable

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.spark.internal.Logging
import org.apache.spark.sql.vectorized.ColumnarBatch

import limitpruning.parquet.{Interrupted, PageLocations, SkippableEncodings, VectorizedReader, WholePages}
import limitpruning.select.RowRange

/**
 * Reads some rows of a split with Spark's vectorized reader, which is opened once for all of them.
 *
 * Columns in which the reader cannot skip single values are read in whole pages; the rows that are too many are cut off.
 * If the pages of a row group cannot be read as the page index places them, the reader is opened again and the row group is
 * read whole: plain Spark reads it without its page index.
 *
 * @param first the open reader
 * @param planned what to read of a row group, by its position in the reader; none if it is not read
 * @param reopen opens the same split once more, or throws an error if the file is no longer the same
 * @param onRead is called when the pages of a row group have been read
 * @param onReadAgain is called with the position of a row group that is read once more, whole
 * @param isSkipped whether a row group is no longer needed; called before it is read
 */
private[scan] final class NarrowedRows(
    first: VectorizedReader,
    planned: Int => Option[PlannedRowGroup],
    path: String,
    reopen: () => Iterator[Any],
    onRead: PlannedRowGroup => Unit,
    onReadAgain: Int => Unit,
    isSkipped: PlannedRowGroup => Boolean = _ => false
) extends Iterator[Any]
    with Closeable
    with Logging {

  private var reader = first

  /** By row group: the rows that are due and have not been returned, ascending. */
  private val due = first.rowGroups.indices.map(planned(_).toSeq.flatMap(_.ranges)).toArray
  private var rowGroup = -1 // that is being read
  private var cuts = new Cuts(Nil, Nil)
  private var isNarrow = false // whether the row group is read by its page index
  private var delivered = 0L // rows of it that were returned
  private var total = 0L // rows after which the reader ends
  private var loaded = 0L // rows of all row groups that the reader has begun
  private var passed = 0L // rows that the reader has returned
  private var whole = Option.empty[Int] // the row group that is read without its page index
  private var batchLeft = 0L // rows of the reader's batch that it has not returned
  private var reported = -1 // the last row group that `onRead` was called with
  private var element: Any = _
  private var rowsFound = 0L // rows of `element`
  private var isFound = false // whether `element` is due and has not been returned

  start(0)

  override def hasNext: Boolean = isFound || find()

  override def next(): Any = {
    if (!hasNext) throw new NoSuchElementException
    isFound = false
    delivered += rowsFound
    element
  }

  override def close(): Unit = reader.rows.close()

  /** Reads up to the next row or batch that is due, if there is one. */
  private def find(): Boolean = {
    var more = true
    while (more && !isFound)
      try more = step()
      catch { case error: Throwable if canReadWhole(error) => readWhole(error) }
    isFound
  }

  /** Reads the reader's next row or batch. False at its end. */
  private def step(): Boolean = {
    if (passed == loaded) skip() else if (batchLeft <= 0) limitBatch()
    reader.rows.hasNext && {
      element = reader.rows.next()
      rowsFound = NarrowedRows.rowsOf(element)
      isFound = cuts.isDue
      cuts.pass(rowsFound)
      passed += rowsFound
      batchLeft -= rowsFound
      true
    }
  }

  /** Passes over the row groups that are no longer needed. */
  private def skip(): Unit = {
    while (upcoming.flatMap(planned).exists(isSkipped)) {
      total -= RowRange.rowsOf(due(upcoming.get))
      rowGroup = upcoming.get
    }
    reader.setTotalRows(total)
  }

  /** A batch must not contain both rows that are due and others. */
  private def limitBatch(): Unit = {
    batchLeft = if (cuts.areSome) cuts.left.min(reader.batchSize.toLong) else reader.batchSize.toLong
    reader.limitBatch(batchLeft)
  }

  /** The next row group with rows that are due. */
  private def upcoming: Option[Int] = (rowGroup + 1 until reader.rowGroups.size).find(due(_).nonEmpty)

  private def start(from: Int): Unit = {
    rowGroup = from - 1
    loaded = 0
    passed = 0
    cuts = new Cuts(Nil, Nil)
    total = due.iterator.drop(from).map(RowRange.rowsOf).sum
    reader.setTotalRows(total)
    reader.readFrom(() => readNext())
  }

  private def readNext(): PageReadStore = upcoming match {
    case None => null
    case Some(position) =>
      rowGroup = position
      delivered = 0
      isNarrow = false
      read(position, due(position))
  }

  private def read(position: Int, rows: Seq[RowRange]): PageReadStore = {
    val all = VectorizedReader.all(reader.rowGroups(position))
    val isWhole = rows == all || whole.contains(position)
    val (ranges, pages) =
      if (isWhole) (all, reader.read(position, all))
      else if (planned(position).exists(_.inWholeChunks)) {
        // Spark's reader ends with the last row that is due.
        val last = RowRange.all(rows.last.until)
        (last, ChangedPages.first(reader.read(position, all), rows.last.until))
      } else {
        isNarrow = true
        narrow(position, rows).getOrElse((all, reader.read(position, all)))
      }
    cuts = new Cuts(ranges, rows)
    limitBatch()
    total += RowRange.rowsOf(ranges) - RowRange.rowsOf(rows)
    loaded += RowRange.rowsOf(ranges)
    reader.setTotalRows(total)
    if (reported != position) planned(position).foreach(onRead)
    reported = position
    pages
  }

  /** The rows that are read for `rows`, and their pages. None if the row group must be read whole. */
  private def narrow(position: Int, rows: Seq[RowRange]): Option[(Seq[RowRange], PageReadStore)] = {
    val wholePages = unskippable(position)
    val located = wholePages.map(locate(position, _))
    if (located.exists(_.isEmpty)) None
    else {
      val ranges = WholePages.of(rows, located.flatten)
      val paths = wholePages.map(_.getPath.toArray.toSeq).toSet
      def readsWholePages(column: ColumnDescriptor): Boolean = paths(column.getPath.toSeq)
      Some((ranges, CheckedPages(reader.read(position, ranges), readsWholePages)))
    }
  }

  /** The chunks that are read and in which Spark's reader cannot skip values. */
  private def unskippable(position: Int): Seq[ColumnChunkMetaData] = {
    val columns = reader.schema.getPaths.asScala.map(_.toSeq).toSet
    reader.rowGroups(position).getColumns.asScala.iterator
      .filter(chunk => columns(chunk.getPath.toArray.toSeq) && !SkippableEncodings.all(chunk.getEncodings))
      .toVector
  }

  private def locate(position: Int, chunk: ColumnChunkMetaData): Option[PageLocations] =
    try
      PageLocations.of(
        reader.file.getColumnIndexStore(position),
        chunk,
        reader.rowGroups(position).getRowCount
      )
    catch {
      case Interrupted(interruption) => throw interruption
      case NonFatal(_) => None
    }

  /** Whether the page index can be the cause of an error, so that the row group may be readable without it. */
  private def canReadWhole(error: Throwable): Boolean =
    isNarrow && !whole.contains(rowGroup) && NonFatal(error) && !RunningCheck.isInterrupted(error) &&
      !error.isInstanceOf[FileChangedException] && {
        if (planned(rowGroup).exists(_.reliesOnPages) && error.isInstanceOf[MisplacedRowsException])
          throw new WrongPageIndexException(path, error)
        true
      }

  private def readWhole(error: Throwable): Unit = {
    val position = rowGroup
    val rowGroups = reader.rowGroups.map(_.getRowCount)
    CloseRows(reader.rows)
    val opened = reopen()
    reader = VectorizedReader.of(opened).filter(_.rowGroups.map(_.getRowCount) == rowGroups).getOrElse {
      CloseRows(opened)
      throw error
    }
    logWarning(
      s"The pages of row group $position of a split cannot be read by the page index of $path. The row group is read whole.",
      error
    )
    onReadAgain(position)
    whole = Some(position)
    due(position) = RowRange.drop(due(position), delivered)
    start(position)
  }
}

private object NarrowedRows {
  private def rowsOf(element: Any): Long = element match {
    case batch: ColumnarBatch => batch.numRows().toLong
    case _ => 1L
  }
}

/** Rows for a LIMIT were proved by a page index that claims other rows than its pages have. */
private[scan] final class WrongPageIndexException(path: String, cause: Throwable) extends RuntimeException(
      s"The page index of $path is wrong: ${cause.getMessage}. The rows for the LIMIT were selected by it. Write the file " +
        "again, or set spark.limitPruning.planning.maxBytes=0, so that page indexes are not used.",
      cause
    )
