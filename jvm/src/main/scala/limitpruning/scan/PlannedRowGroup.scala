package limitpruning.scan

import org.apache.spark.sql.types.{DataType, StructType}

import limitpruning.select.{ColumnBytes, FileVersion, Place, RowRange, SelectedPages, SelectedRowGroup}

/**
 * What a task is to read of one file; travels to executors.
 *
 * @param rowGroups neighbours, in file order
 */
private[scan] final case class PlannedRun(version: FileVersion, rowGroups: Seq[PlannedRowGroup])

/**
 * What a task is to read of one row group; travels to executors.
 *
 * @param rows how many it holds
 * @param ranges the rows to read, ascending
 * @param bytes compressed bytes that this costs
 * @param best the best place in an order that one of its rows may have, where one is wanted and known
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
 * What a scan of `schema` reads of a row group.
 *
 * @param skipsPages whether the reader reads only the pages that hold selected rows; the row-based one does not
 */
final class ReadBytes(schema: StructType, caseSensitive: Boolean, skipsPages: Boolean) {

  /** Compressed bytes. */
  def apply(rowGroup: SelectedRowGroup): Long =
    columns(rowGroup).map(column => if (skipsPages) column.bytesToRead else column.bytes).sum

  /** The columns of whose pages not all are read. */
  def pages(rowGroup: SelectedRowGroup): Seq[SelectedPages] =
    if (skipsPages) columns(rowGroup).flatMap(_.pages).toSeq else Nil

  private def columns(rowGroup: SelectedRowGroup): Iterator[ColumnBytes] =
    rowGroup.columns.iterator.collect { case (path, bytes) if isRead(path, schema) => bytes }

  /** Below an array or a map, and below a column of another shape than expected, everything counts as read. */
  private def isRead(path: Seq[String], dataType: DataType): Boolean = (path, dataType) match {
    case (name +: rest, struct: StructType) =>
      struct.fields.exists(f => same(f.name, name) && isRead(rest, f.dataType))
    case _ => true
  }

  private def same(a: String, b: String): Boolean = if (caseSensitive) a == b else a.equalsIgnoreCase(b)
}
