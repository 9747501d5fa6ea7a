package limitpruning.search

import scala.concurrent.duration.Deadline

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{ColumnFacts, LeafColumn}
import limitpruning.select.{Groups, SearchCounts, VerifiedRows}

/**
 * A table as one query reads it, whose format lists files in manifests, with facts about each file. The format's own
 * reader reads whole files, or whole row groups of them; a table only restricts which ones. See docs/adr/0013.
 */
trait ManifestTable {

  /** The name of the table. */
  def name: String

  /**
   * The files that the query would read, in the state of the table that the query reads. They are always in the same
   * order for the same state and the same filters in the scan, so that copies of a LIMIT choose the same files.
   */
  def files: IndexedSeq[ManifestFile]

  /** The columns that the query reads, and about which facts may be known. */
  def columns: IndexedSeq[LeafColumn]

  /** Whether the table is now partitioned by the values of a column. */
  def isPartition(column: LeafColumn): Boolean

  /** Whether `facts` can be known about a column, in any file. Reads no manifest. */
  def mayHaveFacts(column: LeafColumn): Boolean

  /**
   * Whether a column has one value, which is not null, in all rows of a file that lacks it. Only the footer of a file shows
   * whether the file lacks it. Reads nothing.
   */
  def hasDefault(column: LeafColumn): Boolean = false

  /**
   * What is certain about columns in files of `files`, for all rows of the file. Reads the manifest of a file when it is
   * called for the file. Each manifest is read once. The answers throw an InterruptedException if the query is cancelled.
   *
   * @param columns the columns, in the order of the answers
   * @param deadline after it, no further manifest is read
   */
  def facts(columns: IndexedSeq[LeafColumn], deadline: Deadline): ManifestFile => IndexedSeq[ManifestFacts]

  /**
   * The row groups of files of `files`, by their footers, which are read at the same time.
   *
   * @param columns the columns, in the order of the facts
   * @param deadline until when footers are waited for
   * @return for each file, all its row groups in file order; none if its row groups cannot be read on their own, or if its
   *   footer cannot be read in time, or is not believed
   * @throws java.lang.InterruptedException if the query is cancelled
   */
  def rowGroups(
      files: Seq[ManifestFile],
      columns: IndexedSeq[LeafColumn],
      deadline: Deadline
  ): Seq[Option[IndexedSeq[ManifestRowGroup]]]
}

/**
 * A data file of a [[ManifestTable]].
 *
 * @param rows number of rows in the file, including deleted rows
 * @param deletedRows at most this number of rows of the file have been deleted from the table; none if it is not known
 * @param position its position in `ManifestTable.files`
 * @param parts into how many row groups the format's reader can divide the file, as far as its manifest says; 1 if it reads
 *   the file as a whole
 */
final case class ManifestFile(
    path: String,
    rows: Long,
    bytes: Long,
    deletedRows: Option[Long],
    position: Int,
    parts: Int = 1
) {

  /** At least this number of rows of the file are in the table. */
  def liveRows: Long = liveRowsOf(rows)

  /** At least this number of some rows of the file are in the table. All deleted rows may be among them. */
  def liveRowsOf(some: Long): Long = deletedRows.fold(0L)(deleted => math.max(0L, some - deleted))
}

object ManifestFile {

  /** The bytes of all files together. */
  def bytes(files: Seq[ManifestFile]): Long = files.iterator.map(_.bytes).sum
}

/**
 * A row group of a data file.
 *
 * @param ordinal its position in the file
 * @param rows number of rows, including deleted rows; at least 1
 * @param bytes compressed bytes of all its columns
 * @param facts what is certain about the wanted columns for its rows
 */
final case class ManifestRowGroup(ordinal: Int, rows: Long, bytes: Long, facts: IndexedSeq[ManifestFacts])

/**
 * What is certain about a column for all rows of a file or of a row group, including deleted rows.
 *
 * @param nullCount number of rows in which the column is null; none if it is not known
 * @param maxIfNeverNaN the greatest value of a column of floats, if none of its values is NaN, which is not known; none if it does
 *   not count
 */
final case class ManifestFacts(
    known: ColumnFacts,
    nullCount: Option[Long],
    maxIfNeverNaN: Option[Any] = None
)

object ManifestFacts {

  /** Any value is possible, and null, too. */
  val Unknown: ManifestFacts = ManifestFacts(ColumnFacts.Unknown, None)
}

/**
 * A file that a scan reads.
 *
 * @param rowGroups the row groups that are read, in file order; none if the whole file is read
 */
final case class ChosenFile(file: ManifestFile, rowGroups: Option[Seq[ManifestRowGroup]] = None) {

  /** Rows that are read, without those that are known to be deleted. */
  def rows: Long = rowGroups.fold(file.rows - file.deletedRows.getOrElse(0L))(_.iterator.map(_.rows).sum)

  /** Compressed bytes that are read. */
  def bytes: Long = rowGroups.fold(file.bytes)(_.iterator.map(_.bytes).sum)
}

/**
 * The files and row groups that a scan reads for one LIMIT. Without ORDER BY, every row in them satisfies the predicate, and
 * they have at least as many rows as the LIMIT needs, or rows of as many groups. With ORDER BY, if groups have more than their keys,
 * or if the rows were found by reading columns, they contain the rows that the LIMIT needs, and perhaps rows that do not match.
 *
 * @param conjuncts the predicate, over the table's columns
 * @param files the chosen files
 * @param counts the numbers of the search
 * @param planningNanos the time that the search took, in nanoseconds
 * @param order why the first rows in an order are in the chosen files; none if there is no ORDER BY
 * @param inspected the first files and row groups that were compared with the predicate, for reports
 * @param columns the columns of their facts
 * @param verified the rows that were found by reading columns; none if metadata chose the files
 * @param skipped at least this number of rows that satisfy the predicate are in files and row groups that are not read: an
 *   OFFSET skips them
 * @param groups the groups of which the chosen files have rows; none if the LIMIT counts rows
 */
final case class ChosenFiles(
    table: String,
    limit: Int,
    conjuncts: Seq[Expression],
    files: IndexedSeq[ChosenFile],
    counts: SearchCounts,
    planningNanos: Long,
    order: Option[ChosenOrder] = None,
    inspected: Seq[InspectedPart] = Nil,
    columns: IndexedSeq[LeafColumn] = IndexedSeq.empty,
    verified: Option[VerifiedRows] = None,
    skipped: Long = 0,
    groups: Option[Groups] = None
) {

  /** Rows that are read, without those that are known to be deleted. */
  def rows: Long = files.iterator.map(_.rows).sum

  /** Number of row groups that are read of files that are not read as a whole; none if there is no such file. */
  def rowGroups: Option[Int] = Some(files.flatMap(_.rowGroups)).filter(_.nonEmpty).map(_.map(_.size).sum)
}

/**
 * Why the first rows in an order are in the chosen files.
 *
 * @param key the first sort key with its direction, as SQL
 * @param threshold the top-k threshold, as SQL: all rows that are not read sort after it
 * @param rowsCertain at least this number of rows are certain to be at the threshold or before it
 */
final case class ChosenOrder(key: String, threshold: String, rowsCertain: Long)
