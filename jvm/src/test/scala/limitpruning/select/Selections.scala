package limitpruning.select

import scala.collection.immutable.ArraySeq

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Creates selections for tests: `file("a", 0 -> 10L, 1 -> 20L)` is row groups 0 and 1, with 10 and 20 bytes.
 */
object Selections {

  val someVersion: FileVersion = FileVersion(1, 1, 1)

  /** A listed file, different from all files of another path. */
  def listed(path: String, length: Long = 1000): ListedFile =
    ListedFile(
      InternalRow.empty,
      new FileStatus(length, false, 1, 1, 0, new Path(path)),
      position = path.hashCode
    )

  def file(path: String, rowGroups: (Int, Long)*): SelectedFile =
    SelectedFile(
      listed(path),
      FileVersion(1000, 10, 20),
      rowGroups.map { case (ordinal, bytes) => rowGroup(ordinal, bytes) }
    )

  def columns(bytes: (Seq[String], ColumnBytes)*): SelectedColumns = SelectedColumns(
    bytes.map(_._1).toIndexedSeq,
    bytes.iterator.map(_._2.bytes).to(ArraySeq),
    bytes.collect { case (path, ColumnBytes(_, Some(pages))) => path -> pages }.toMap
  )

  def rowGroup(ordinal: Int, bytes: Long, rows: Long = 100): SelectedRowGroup =
    SelectedRowGroup(
      ordinal,
      rows,
      start = ordinal * 100L,
      bytes = bytes,
      columns = columns(Seq("c") -> ColumnBytes(bytes)),
      ranges = RowRange.all(rows)
    )
}
