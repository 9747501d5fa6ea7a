package limitpruning.select

/**
 * One row group as the selection needs to know it.
 *
 * @param ordinal its position in the file, from 0
 * @param rows how many rows it holds
 * @param start the first byte of a range of the file which, by Parquet's midpoint rule, is this row group's alone
 * @param columnBytes compressed bytes of each leaf column, by the path of its names
 */
final case class SelectedRowGroup(ordinal: Int, rows: Long, start: Long, columnBytes: Map[Seq[String], Long])

/**
 * The row groups to read of one file, in file order.
 *
 * @param path the file as Spark's listing names it
 * @param length the file's length in bytes when it was listed
 * @param modificationTime milliseconds since the epoch when it was listed
 */
final case class SelectedFile(
    path: String,
    length: Long,
    modificationTime: Long,
    rowGroups: Seq[SelectedRowGroup]
)

/** The files and row groups that a scan will read, in order. Every row in them satisfies the predicate. */
final case class Selection(files: Seq[SelectedFile]) {

  /** All rows of the selected row groups; never less than the limit that was to be covered. */
  def rows: Long = files.iterator.flatMap(_.rowGroups).map(_.rows).sum

  def rowGroups: Int = files.iterator.map(_.rowGroups.size).sum

  /** Compressed bytes of all columns of the selected row groups. */
  def bytes: Long = files.iterator.flatMap(_.rowGroups).flatMap(_.columnBytes.values).sum
}
