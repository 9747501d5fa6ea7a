package limitpruning.scan

import org.apache.spark.sql.types.{DataType, StructType}

import limitpruning.select.{ColumnBytes, SelectedPages, SelectedRowGroup}

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
