package limitpruning.scan

import java.io.Closeable
import java.util.IdentityHashMap

import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch

import limitpruning.parquet.ColumnNames
import limitpruning.select.{ColumnBytes, FileVersion, Place, RowRange, SelectedPages, SelectedRowGroup}

/**
 * The part of one file that a task reads. It is sent to executors.
 *
 * @param rowGroups row groups in file order; the split may have others between them
 * @param isReserve whether it is read because too few rows were found before it
 */
private[scan] final case class PlannedRun(
    version: FileVersion,
    rowGroups: Seq[PlannedRowGroup],
    isReserve: Boolean = false
) {

  /** The position of the first row group among those of the file that have rows. */
  def first: Int = rowGroups.head.ordinal

  /** The number of row groups of the split that have rows. */
  def size: Int = rowGroups.last.ordinal - first + 1

  /** Whether every row of the split is read. */
  def isWhole: Boolean = size == rowGroups.size && rowGroups.forall(_.isWhole)
}

/**
 * The part of one row group that a task reads. It is sent to executors.
 *
 * @param ordinal its position among the row groups of the file that have rows, from 0
 * @param rows the number of rows of the row group
 * @param ranges the rows to read, ascending
 * @param bytes compressed bytes that are read for them
 * @param best the best place in an order that one of its rows may have, if there is an order and the place is
 *   known
 * @param reliesOnPages whether `ranges` were chosen by the page index, so that other rows may be due if it is wrong
 * @param inWholeChunks whether all pages are read, without the page index, and the rows outside of `ranges` are dropped
 */
private[scan] final case class PlannedRowGroup(
    ordinal: Int,
    rows: Long,
    ranges: Seq[RowRange],
    bytes: Long,
    best: Option[Place] = None,
    reliesOnPages: Boolean = false,
    inWholeChunks: Boolean = false
) {
  val rowsToRead: Long = RowRange.rowsOf(ranges)
  def isWhole: Boolean = rowsToRead == rows
}

private[scan] object PlannedRowGroup {
  def of(rowGroup: SelectedRowGroup, bytes: Long): PlannedRowGroup =
    PlannedRowGroup(
      rowGroup.ordinal - rowGroup.emptyBefore,
      rowGroup.rows,
      rowGroup.ranges.toVector,
      bytes,
      rowGroup.best,
      rowGroup.reliesOnPages,
      rowGroup.inWholeChunks
    )
}

/**
 * The bytes that a scan of `schema` reads of a row group.
 *
 * @param skipsPages whether the reader reads only the pages that contain selected rows; the row-based reader
 *   does not
 */
final class ReadBytes(schema: StructType, caseSensitive: Boolean, skipsPages: Boolean) {
  // By the paths, which the row groups of a table share, and by the structs: a schema may have thousands of columns.
  private val positions = new IdentityHashMap[IndexedSeq[Seq[String]], Array[Int]]
  private val typesByName = new IdentityHashMap[StructType, Map[String, Seq[DataType]]]

  /** Compressed bytes that are read of a row group. */
  def apply(rowGroup: SelectedRowGroup): Long =
    columns(rowGroup).map(column => if (skipsPages) column.bytesToRead else column.bytes).sum

  /** The selected pages of the columns that are read only in part. */
  def pages(rowGroup: SelectedRowGroup): Seq[SelectedPages] =
    if (skipsPages) columns(rowGroup).flatMap(_.pages).toSeq else Nil

  /** The columns of which all rows of the selected pages are decoded. */
  def inWholePages(rowGroup: SelectedRowGroup): Iterator[Seq[String]] =
    if (!skipsPages) Iterator.empty
    else rowGroup.columns.pages.iterator.collect {
      case (path, pages) if pages.areWhole && isRead(path, schema) => path
    }

  private def columns(rowGroup: SelectedRowGroup): Iterator[ColumnBytes] =
    positions.computeIfAbsent(rowGroup.columns.paths, positionsOf(_)).iterator.map(rowGroup.columns(_))

  /** The positions of the columns that are read. */
  private def positionsOf(paths: IndexedSeq[Seq[String]]): Array[Int] =
    paths.iterator.zipWithIndex.collect { case (path, i) if isRead(path, schema) => i }.toArray

  /** Everything counts as read below an array or a map, and below a column of another shape than expected. */
  private def isRead(path: Seq[String], dataType: DataType): Boolean = dataType match {
    case struct: StructType if path.nonEmpty => named(struct, path.head).exists(isRead(path.tail, _))
    case _ => true
  }

  private def named(struct: StructType, name: String): Seq[DataType] = typesByName
    .computeIfAbsent(
      struct,
      _.fields.toSeq.groupBy(f => key(f.name)).map { case (k, f) => k -> f.map(_.dataType) }
    )
    .getOrElse(key(name), Nil)

  private def key(name: String): String = ColumnNames.key(name, caseSensitive)
}

/**
 * Returns the rows of a run of row groups, and counts the row groups that are opened. After the
 * bytes of a row group are read, checks that the file is unchanged. At the end, checks that there are exactly as many rows
 * as planned.
 *
 * @param rows the reader's rows, or batches of rows, which do not cross row groups: only the planned rows
 * @param planned the row groups of the run
 * @param check whether the file is still the file that was planned
 * @param counts the bytes of a row group are counted when its first row is read, because they are read together
 */
private[scan] final class PlannedRows(
    rows: Iterator[Any],
    path: String,
    planned: Seq[PlannedRowGroup],
    check: CheckUnchanged,
    counts: ReadCounts
) extends Iterator[Any]
    with Closeable {
  private val total = planned.map(_.rowsToRead).sum
  private var delivered = 0L
  private var begun = 0
  private var nextBegins = 0L

  override def hasNext: Boolean = {
    val more = check.orElse(rows.hasNext)
    if (!more && delivered != total)
      throw new FileChangedException(path, s"it has $delivered rows instead of $total")
    more
  }

  override def next(): Any = {
    val element = rows.next()
    // A row group's bytes are read together. They have been read now.
    if (nextBegins <= delivered) check.whileOpen()
    while (begun < planned.length && nextBegins <= delivered) {
      nextBegins += planned(begun).rowsToRead
      counts.read(planned(begun))
      begun += 1
    }
    delivered +=
      (element match {
        case batch: ColumnarBatch => batch.numRows().toLong
        case _ => 1L
      })
    element
  }

  override def close(): Unit = CloseRows(rows)
}

/**
 * Returns the rows that Spark's reader returns of a run of row groups, of which the reader's filters skip some. If the reader
 * does not report which row groups it reads, checks that the file is unchanged after the first bytes are read, and at the end.
 *
 * @param rows the reader's rows, or batches of rows
 * @param uncounted row groups to count with the first row, because the reader does not report which it reads; empty if it
 *   does
 * @param check whether the file is still the file that was planned
 */
private[scan] final class CandidatesRead(
    rows: Iterator[Any],
    uncounted: Seq[PlannedRowGroup],
    check: CheckUnchanged,
    counts: ReadCounts
) extends Iterator[Any]
    with Closeable {
  private var isBegun = false

  override def hasNext: Boolean = {
    val more = check.orElse(rows.hasNext)
    if (!more && uncounted.nonEmpty) check.whileOpen()
    more
  }

  override def next(): Any = {
    val element = rows.next()
    if (!isBegun) {
      isBegun = true
      if (uncounted.nonEmpty) check.whileOpen()
      uncounted.foreach(counts.read)
    }
    element
  }

  override def close(): Unit = CloseRows(rows)
}

/**
 * Selects the planned rows, by their position, from all rows of a run of adjacent row groups. Stops after the last.
 */
private[scan] final class RowsInRanges(rows: Iterator[Any], run: PlannedRun)
    extends Iterator[Any]
    with Closeable {
  private val planned = run.rowGroups
  if (run.size != planned.size) RowsInRanges.cannotRead()
  private val starts = planned.scanLeft(0L)(_ + _.rows)

  /** Positions in the run: from (inclusive), until (exclusive). */
  private val ranges = planned.zip(starts).iterator.flatMap { case (rowGroup, start) =>
    rowGroup.ranges.iterator.map(range => (start + range.from, start + range.until))
  }
  private var from, until = 0L
  private var position = 0L // of the next row

  override def hasNext: Boolean = {
    if (position >= until && ranges.hasNext) {
      val (nextFrom, nextUntil) = ranges.next()
      from = nextFrom
      until = nextUntil
    }
    while (position < from && rows.hasNext) skip()
    position < until && rows.hasNext
  }

  override def next(): Any = {
    if (!hasNext) throw new NoSuchElementException
    position += 1
    rowOf(rows.next())
  }

  private def skip(): Unit = {
    position += 1
    val _ = rowOf(rows.next())
  }

  private def rowOf(element: Any): Any = element match {
    case _: ColumnarBatch => RowsInRanges.cannotRead()
    case row => row
  }

  override def close(): Unit = CloseRows(rows)
}

private[scan] object RowsInRanges {
  def cannotRead(): Nothing = throw new IllegalStateException(
    "The Spark of this executor cannot read some rows of a file alone, but the Spark of the driver can. Run the same " +
      "release of Spark on both, or set spark.limitPruning.enabled=false."
  )
}

private[scan] object CloseRows {

  /** Closes the reader, if it can be closed. */
  def apply(rows: Iterator[_]): Unit = rows match {
    case open: Closeable => open.close()
    case _ =>
  }
}
