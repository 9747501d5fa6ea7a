package limitpruning.select

/**
 * What a column chunk costs to read.
 *
 * @param bytes compressed bytes of the whole chunk
 * @param pages the pages that hold the selected rows, none where all pages do, or where that is not known
 */
final case class ColumnBytes(bytes: Long, pages: Option[SelectedPages] = None) {
  def bytesToRead: Long = pages.fold(bytes)(_.bytes)
}

/**
 * The pages of a column chunk that hold the selected rows of its row group.
 *
 * @param bytes compressed bytes of these pages, and of the dictionary
 * @param pages how many they are
 * @param total how many data pages the chunk has
 */
final case class SelectedPages(bytes: Long, pages: Int, total: Int)

/** A place in an order: a value in Catalyst's representation, or null for SQL's NULL. */
final case class Place(place: Any)

/**
 * One row group as the selection needs to know it.
 *
 * @param ordinal its position in the file, from 0
 * @param rows how many rows it holds
 * @param start the first byte of a range of the file which, by Parquet's midpoint rule, is this row group's alone
 * @param bytes compressed bytes of all its columns
 * @param columns each leaf column that may be read, by the path of its names
 * @param ranges the rows to read, ascending and not next to each other
 * @param best the best place in an order that one of its rows may have, where one is wanted and known
 */
final case class SelectedRowGroup(
    ordinal: Int,
    rows: Long,
    start: Long,
    bytes: Long,
    columns: Map[Seq[String], ColumnBytes],
    ranges: Seq[RowRange],
    best: Option[Place] = None
) {
  def rowsToRead: Long = RowRange.rowsOf(ranges)

  /** Whether every row is read. */
  def isWhole: Boolean = rowsToRead == rows

  /** Compressed bytes of all its columns, without the pages that are not read. */
  def bytesToRead: Long = bytes - columns.values.map(column => column.bytes - column.bytesToRead).sum
}

/**
 * By what a file is known to be the one that was planned.
 *
 * @param length its length in bytes when it was listed
 * @param modificationTime milliseconds since the epoch when it was listed
 * @param footerLength bytes of its serialised footer, on which all proofs rest
 * @param footerChecksum the CRC-32C of the footer
 */
final case class FileVersion(length: Long, modificationTime: Long, footerLength: Int, footerChecksum: Int)

/**
 * The row groups to read of one file, in file order.
 *
 * @param path the file as Spark's listing names it
 * @param version what must be found of it
 */
final case class SelectedFile(
    path: String,
    version: FileVersion,
    rowGroups: Seq[SelectedRowGroup]
)

/**
 * A file that is read whole, without its footer having been looked at.
 *
 * @param path the file as Spark's listing names it
 * @param length the file's length in bytes when it was listed
 */
final case class UnseenFile(path: String, length: Long)

/**
 * The files, row groups and rows that a scan will read, in order. Where order matters, a file may stand more than once.
 *
 * @param unseen files that are read after the others; their bytes count, their rows are not known
 */
final case class Selection(files: Seq[SelectedFile], unseen: Seq[UnseenFile] = Nil) {
  private def all: Iterator[SelectedRowGroup] = files.iterator.flatMap(_.rowGroups)

  /** The paths of all files that are read, in order. */
  def paths: Seq[String] = (files.map(_.path) ++ unseen.map(_.path)).distinct

  /** All rows to read of row groups that were looked at. */
  def rows: Long = all.map(_.rowsToRead).sum

  def rowGroups: Int = all.size

  /** Ranges of rows in row groups that are not read whole. */
  def rowRanges: Int = all.filterNot(_.isWhole).map(_.ranges.size).sum

  /** Rows of the selected row groups that are not read. */
  def rowsCut: Long = all.map(rowGroup => rowGroup.rows - rowGroup.rowsToRead).sum

  /** Compressed bytes of all columns that hold the rows. */
  def bytes: Long = all.map(_.bytesToRead).sum + unseen.map(_.length).sum
}
