package limitpruning.select

import scala.collection.mutable

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata

/**
 * The bytes to read of a column chunk.
 *
 * @param bytes compressed bytes of the whole chunk
 * @param pages the pages that contain the selected rows; none if all pages do, or if that is not known
 */
final case class ColumnBytes(bytes: Long, pages: Option[SelectedPages] = None) {
  def bytesToRead: Long = pages.fold(bytes)(_.bytes)
}

/**
 * The leaf columns of a row group that may be read, in few bytes: a plan holds them for each selected row group.
 *
 * @param paths the names of each column, from the top level to the leaf; the row groups of a table share them
 * @param lengths compressed bytes of the chunk of each column
 * @param pages the pages to read, by the paths of the columns that are not known to be read whole
 */
final case class SelectedColumns(
    paths: IndexedSeq[Seq[String]],
    lengths: IndexedSeq[Long],
    pages: Map[Seq[String], SelectedPages] = Map.empty
) {
  def iterator: Iterator[(Seq[String], ColumnBytes)] = paths.indices.iterator.map(i => paths(i) -> apply(i))

  /** @param position of the column in `paths` */
  def apply(position: Int): ColumnBytes =
    ColumnBytes(lengths(position), if (pages.isEmpty) None else pages.get(paths(position)))
}

/**
 * The pages of a column chunk that contain the selected rows of its row group.
 *
 * @param bytes compressed bytes of these pages, and of the dictionary
 * @param pages the number of these pages
 * @param total the number of data pages of the chunk
 * @param areWhole whether all rows of these pages are decoded, because Spark's reader cannot skip values in their encoding
 */
final case class SelectedPages(bytes: Long, pages: Int, total: Int, areWhole: Boolean = false)

/** A place in an order: a value in Catalyst's representation, or null for SQL's NULL. */
final case class Place(place: Any)

/**
 * One row group of a selection.
 *
 * @param ordinal its position in the file, from 0
 * @param rows the number of its rows
 * @param start the first byte of a range of the file that contains, by Parquet's midpoint rule, only this row
 *   group
 * @param bytes compressed bytes of all its columns
 * @param columns the leaf columns that may be read
 * @param ranges the rows to read, ascending and not adjacent
 * @param best the best place in an order that one of its rows may have, if there is an order and the place is
 *   known
 * @param emptyBefore the number of row groups before it in the file that have no rows
 * @param reliesOnPages whether `ranges` were chosen by the page index, so that other rows may be due if it is wrong
 * @param inWholeChunks whether all pages are read, without the page index, and the rows outside of `ranges` are dropped
 */
final case class SelectedRowGroup(
    ordinal: Int,
    rows: Long,
    start: Long,
    bytes: Long,
    columns: SelectedColumns,
    ranges: Seq[RowRange],
    best: Option[Place] = None,
    emptyBefore: Int = 0,
    reliesOnPages: Boolean = false,
    inWholeChunks: Boolean = false
) {
  def rowsToRead: Long = RowRange.rowsOf(ranges)

  /** Whether every row is read. */
  def isWhole: Boolean = rowsToRead == rows

  /** Compressed bytes of all its columns, without the pages that are not read. */
  def bytesToRead: Long =
    bytes - columns.iterator.map { case (_, column) => column.bytes - column.bytesToRead }.sum
}

/**
 * A part of a file, besides its footer, that a proof relies on: a dictionary, a bloom filter or a page index.
 *
 * @param offset its first byte
 * @param length in bytes
 * @param checksum the CRC-32C of its bytes
 */
final case class FilePart(offset: Long, length: Int, checksum: Int)

/**
 * Identifies the content of a file that was planned. The modification time does not identify it: listings of
 * some stores have milliseconds and single file statuses have seconds, and the time of a file can be set.
 *
 * @param length its length in bytes when it was listed
 * @param footerLength bytes of its serialized footer, on which all proofs rely
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
 * @param version the content that the scan must find
 * @param isWhole whether these row groups, with the others that are selected of the file, are all its row
 *   groups
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
 * The files, row groups and rows that a scan will read, in order. If the order matters, a file can occur more
 * than once.
 *
 * @param unseen files without a selection, which are read after the others; their bytes count, their rows are
 *   not known
 * @param reserve where Spark skips missing and corrupt files: whole row groups and files that the task reads after the
 *   selection if rows are still needed. None if such a file is an error. Numbers of what is read do not include it.
 */
final case class Selection(
    files: Seq[SelectedFile],
    unseen: Seq[ListedFile] = Nil,
    reserve: Option[Selection] = None
) {
  def isEmpty: Boolean = files.isEmpty && unseen.isEmpty

  private def all: Iterator[SelectedRowGroup] = files.iterator.flatMap(_.rowGroups)

  /** Without the parts of files that planning read: another search for the same rows may have read others. */
  def canonicalized: Selection =
    copy(files = files.map(file => file.copy(version = file.version.copy(parts = Nil))))

  /** The distinct files that are read, in order. */
  def listed: Seq[ListedFile] = distinct(files.map(_.listed) ++ unseen)

  /** The distinct files that may be read: those that are read, and those of the reserve. */
  def available: Seq[ListedFile] =
    reserve.fold(listed)(more => distinct(listed ++ more.files.map(_.listed) ++ more.unseen))

  private def distinct(files: Seq[ListedFile]): Seq[ListedFile] = {
    val seen = mutable.Set.empty[Int]
    files.filter(file => seen.add(file.position))
  }

  /** Whether this only selects files: reading all of these files reads no other row group. */
  def isOfWholeFiles: Boolean = reserve.isEmpty && files.forall(_.isWhole)

  /** The number of rows to read, without those of files that were not inspected. */
  def rows: Long = all.map(_.rowsToRead).sum

  def rowGroups: Int = all.size

  /** The number of row ranges in row groups that are not read whole. */
  def rowRanges: Int = all.filterNot(_.isWhole).map(_.ranges.size).sum

  /** The number of rows of the selected row groups that are not read. */
  def rowsCut: Long = all.map(rowGroup => rowGroup.rows - rowGroup.rowsToRead).sum

  /** Compressed bytes, in all columns, that contain the rows. */
  def bytes: Long = all.map(_.bytesToRead).sum + unseen.map(_.length).sum
}

/**
 * One file of the table's listing. A path does not identify it: a table that is read from the same path twice
 * lists each file twice, and two partitions at one location list the same file with different values.
 *
 * @param partitionValues the values of its directory, in the order of the partition schema
 * @param file its status, and the metadata that the listing adds
 * @param position its position in the reading order, which is unique in the listing
 */
final case class ListedFile(partitionValues: InternalRow, file: FileStatusWithMetadata, position: Int) {
  def status: FileStatus = file.fileStatus
  def path: String = status.getPath.toString

  /** The length in bytes when it was listed. */
  def length: Long = status.getLen
}

object ListedFile {
  def apply(partitionValues: InternalRow, status: FileStatus, position: Int): ListedFile =
    ListedFile(partitionValues, FileStatusWithMetadata(status), position)

  /** The bytes of all files together. Tables have many files, so this boxes no number. */
  def bytes(files: IndexedSeq[ListedFile]): Long = {
    var sum = 0L
    var i = 0
    while (i < files.size) {
      sum += files(i).length
      i += 1
    }
    sum
  }

  /** A file apart from any listing. */
  def alone(partitionValues: InternalRow, status: FileStatus): ListedFile =
    ListedFile(partitionValues, status, position = 0)
}
