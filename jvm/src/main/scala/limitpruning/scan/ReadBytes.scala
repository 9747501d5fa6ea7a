package limitpruning.scan

import org.apache.spark.sql.types.{DataType, StructType}

import limitpruning.select.SelectedRowGroup

/** How many compressed bytes of a row group a scan of `schema` reads: its column chunks, whole. */
final class ReadBytes(schema: StructType, caseSensitive: Boolean) {

  def apply(rowGroup: SelectedRowGroup): Long =
    rowGroup.columnBytes.iterator.collect { case (path, bytes) if isRead(path, schema) => bytes }.sum

  /** Below an array or a map, and below a column of another shape than expected, everything counts as read. */
  private def isRead(path: Seq[String], dataType: DataType): Boolean = (path, dataType) match {
    case (name +: rest, struct: StructType) =>
      struct.fields.exists(f => same(f.name, name) && isRead(rest, f.dataType))
    case _ => true
  }

  private def same(a: String, b: String): Boolean = if (caseSensitive) a == b else a.equalsIgnoreCase(b)
}
