package limitpruning.scan

import org.apache.spark.sql.types.{DataType, StructType}

import limitpruning.select.{ColumnBytes, FileVersion, Place, RowRange, SelectedPages, SelectedRowGroup}

/**
 * The part of one file that a task reads. It is sent to executors.
 *
 * @param rowGroups adjacent row groups, in file order
 */
private[scan] final case class PlannedRun(version: FileVersion, rowGroups: Seq[PlannedRowGroup])

/**
 * The part of one row group that a task reads. It is sent to executors.
 *
 * @param rows the number of rows of the row group
 * @param ranges the rows to read, ascending
 * @param bytes compressed bytes that are read for them
 * @param best the best place in an order that one of its rows may have, if there is an order and the place is
 *   known
 */
private[scan] final case class PlannedRowGroup(
    rows: Long,
    ranges: Seq[RowRange],
    bytes: Long,
    best: Option[Place] = None
) {
  val rowsToRead: Long = RowRange.rowsOf(ranges)
  def isWhole: Boolean = rowsToRead == rows
}

private[scan] object PlannedRowGroup {
  def of(rowGroup: SelectedRowGroup, bytes: Long): PlannedRowGroup =
    PlannedRowGroup(rowGroup.rows, rowGroup.ranges.toVector, bytes, rowGroup.best)
}

/**
 * The bytes that a scan of `schema` reads of a row group.
 *
 * @param skipsPages whether the reader reads only the pages that contain selected rows; the row-based reader
 *   does not
 */
final class ReadBytes(schema: StructType, caseSensitive: Boolean, skipsPages: Boolean) {

  /** Compressed bytes that are read of a row group. */
  def apply(rowGroup: SelectedRowGroup): Long =
    columns(rowGroup).map(column => if (skipsPages) column.bytesToRead else column.bytes).sum

  /** The selected pages of the columns that are read only in part. */
  def pages(rowGroup: SelectedRowGroup): Seq[SelectedPages] =
    if (skipsPages) columns(rowGroup).flatMap(_.pages).toSeq else Nil

  private def columns(rowGroup: SelectedRowGroup): Iterator[ColumnBytes] =
    rowGroup.columns.iterator.collect { case (path, bytes) if isRead(path, schema) => bytes }

  /** Everything counts as read below an array or a map, and below a column of another shape than expected. */
  private def isRead(path: Seq[String], dataType: DataType): Boolean = (path, dataType) match {
    case (name +: rest, struct: StructType) =>
      struct.fields.exists(f => same(f.name, name) && isRead(rest, f.dataType))
    case _ => true
  }

  private def same(a: String, b: String): Boolean = if (caseSensitive) a == b else a.equalsIgnoreCase(b)
}
