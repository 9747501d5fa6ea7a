package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import limitpruning.predicate.{ColumnFacts, LeafColumn}

/**
 * A table as one query reads it, whose format lists files in manifests, with facts about each file. The format's own
 * reader reads whole files; a table only restricts which ones. See docs/adr/0013.
 */
trait ManifestTable {

  /** The name of the table. */
  def name: String

  /**
   * The files that the query would read, in the state of the table that the query reads. They are always in the same
   * order for the same state and the same filters in the scan, so that copies of a LIMIT choose the same files.
   */
  def files: IndexedSeq[ManifestFile]

  /** Whether `facts` can be known about a column, in any file. Reads no manifest. */
  def mayHaveFacts(column: LeafColumn): Boolean

  /**
   * What is certain about columns in files of `files`, for all rows of the file. Reads the manifest of a file when it is
   * called for the file. Each manifest is read once.
   *
   * @param columns the columns, in the order of the answers
   */
  def facts(columns: IndexedSeq[LeafColumn]): ManifestFile => IndexedSeq[ManifestFacts]

  /**
   * Replaces the table's scan in `plan` by one that reads only the chosen files. The changed plan is equal to another plan
   * only if both read the same files, so that Spark never reuses one for the other.
   */
  def read(plan: LogicalPlan, chosen: ChosenFiles): LogicalPlan
}

/**
 * A data file of a [[ManifestTable]].
 *
 * @param rows number of rows in the file, including deleted rows
 * @param deletedRows at most this number of rows of the file have been deleted from the table; none if it is not known
 * @param position its position in `ManifestTable.files`
 */
final case class ManifestFile(
    path: String,
    rows: Long,
    bytes: Long,
    deletedRows: Option[Long],
    position: Int
) {

  /** At least this number of rows of the file are in the table. */
  def liveRows: Long = deletedRows.fold(0L)(deleted => math.max(0L, rows - deleted))
}

/**
 * What is certain about a column for all rows of a file, including deleted rows.
 *
 * @param nullCount number of rows in which the column is null; none if it is not known
 */
final case class ManifestFacts(known: ColumnFacts, nullCount: Option[Long])

object ManifestFacts {

  /** Any value is possible, and null, too. */
  val Unknown: ManifestFacts = ManifestFacts(ColumnFacts.Unknown, None)
}

/**
 * The files that a scan reads for one LIMIT. Without ORDER BY, every row in them satisfies the predicate, and they have at
 * least as many rows as the LIMIT needs. With ORDER BY, they contain the first rows, and perhaps rows that do not match.
 *
 * @param conjuncts the predicate, over the table's columns
 * @param files the chosen files
 * @param counts the numbers of the search
 * @param planningNanos the time that the search took, in nanoseconds
 * @param order why the first rows in an order are in the chosen files; none if any rows would do
 */
final case class ChosenFiles(
    table: String,
    limit: Int,
    conjuncts: Seq[Expression],
    files: IndexedSeq[ManifestFile],
    counts: ManifestCounts,
    planningNanos: Long,
    order: Option[ChosenOrder] = None
) {

  /** Rows of the chosen files, without those that are known to be deleted. */
  def rows: Long = files.iterator.map(file => file.rows - file.deletedRows.getOrElse(0L)).sum
}

/**
 * Why the first rows in an order are in the chosen files.
 *
 * @param key the first sort key with its direction, as SQL
 * @param threshold the top-k threshold, as SQL: all rows of the other files sort after it
 * @param rowsCertain at least this number of rows are certain to be at the threshold or before it
 */
final case class ChosenOrder(key: String, threshold: String, rowsCertain: Long)

/**
 * The numbers of files that a search inspected.
 *
 * @param files files that the scan would read without the LIMIT
 * @param bytes the length of all of them
 * @param filesInspected files that were classified
 */
final case class ManifestCounts(files: Int, bytes: Long, filesInspected: Int)
