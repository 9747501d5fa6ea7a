package limitpruning.select

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata

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
 * A part of a file on whose bytes a proof rests, beside its footer: a dictionary, a bloom filter or a page index.
 *
 * @param offset its first byte
 * @param length in bytes
 * @param checksum the CRC-32C of its bytes
 */
final case class FilePart(offset: Long, length: Int, checksum: Int)

/**
 * What identifies the content of a file that was planned. Its modification time does not: stores list milliseconds and stat
 * seconds, and a time can be set.
 *
 * @param length its length in bytes when it was listed
 * @param footerLength bytes of its serialised footer, on which all proofs rest
 * @param footerChecksum the CRC-32C of the footer
 * @param parts the other parts that were read while planning
 */
final case class FileVersion(
    length: Long,
    footerLength: Int,
    footerChecksum: Int,
    parts: Seq[FilePart] = Nil
)

/**
 * The row groups to read of one file, in file order.
 *
 * @param listed the file with its partition values
 * @param version what must be found of it
 * @param isWhole whether these, with what else is selected of the file, are all row groups that it has
 */
final case class SelectedFile(
    listed: ListedFile,
    version: FileVersion,
    rowGroups: Seq[SelectedRowGroup],
    isWhole: Boolean = false
) {
  def path: String = listed.path
}

/**
 * The files, row groups and rows that a scan will read, in order. Where order matters, a file may stand more than once.
 *
 * @param unseen files that are read after the others; their bytes count, their rows are not known
 */
final case class Selection(files: Seq[SelectedFile], unseen: Seq[ListedFile] = Nil) {
  private def all: Iterator[SelectedRowGroup] = files.iterator.flatMap(_.rowGroups)

  /** All files that are read, each once, in order. */
  def listed: Seq[ListedFile] = (files.map(_.listed) ++ unseen).distinctBy(_.position)

  /** Whether it is nothing but a choice of files: reading these whole reads no row group more. */
  def isOfWholeFiles: Boolean = files.forall(_.isWhole)

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

/**
 * One file as the table's listing gave it. A path does not identify it: a table that is read from the same path twice lists
 * each file twice, and two partitions at one location list the same file with different values.
 *
 * @param partitionValues the values of its directory, in the order of the partition schema
 * @param file its status, and the metadata that the listing adds
 * @param position its place in the order of reading, which no other file of the listing has
 */
final case class ListedFile(partitionValues: InternalRow, file: FileStatusWithMetadata, position: Int) {
  def status: FileStatus = file.fileStatus
  def path: String = status.getPath.toString

  /** Bytes, when it was listed. */
  def length: Long = status.getLen
}

object ListedFile {
  def apply(partitionValues: InternalRow, status: FileStatus, position: Int = 0): ListedFile =
    ListedFile(partitionValues, FileStatusWithMetadata(status), position)
}

/** Neighbouring rows of one row group, counted from 0 within it: `from` until `until`, at least one. */
final case class RowRange(from: Long, until: Long) {
  def rows: Long = until - from
}

object RowRange {

  /** Every row of a row group that has some. */
  def all(rows: Long): Seq[RowRange] = Seq(RowRange(0, rows))

  def rowsOf(ranges: Seq[RowRange]): Long = ranges.iterator.map(_.rows).sum

  /** The first `rows` rows of ascending ranges. */
  def take(ranges: Seq[RowRange], rows: Long): Seq[RowRange] = {
    val before = ranges.scanLeft(0L)(_ + _.rows)
    ranges.zip(before).collect {
      case (range, seen) if seen < rows => range.copy(until = range.from + range.rows.min(rows - seen))
    }
  }

  /** The same rows of ascending ranges, with neighbours made one. */
  def joined(ranges: Seq[RowRange]): Seq[RowRange] = ranges.foldLeft(Vector.empty[RowRange]) {
    case (done :+ last, next) if last.until == next.from => done :+ RowRange(last.from, next.until)
    case (done, next) => done :+ next
  }
}
