package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import limitpruning.predicate.{ColumnFacts, LeafColumn}

/**
 * A table as one query reads it, whose format lists files in manifests, with facts about each file. The format's own
 * reader reads whole files; a table only restricts which ones. See docs/adr/0013.
 */
trait ManifestTable {

  /** The name of the table. */
  def name: String

  /** The columns that a predicate can use. */
  def output: Seq[Attribute]

  /**
   * The files that the query would read, in the state of the table that the query reads. They are always in the same
   * order for the same state and the same filters in the scan, so that copies of a LIMIT choose the same files.
   */
  def files: IndexedSeq[ManifestFile]

  /**
   * What is certain about columns in files of `files`, for all rows of the file. Reads the manifest of a file when it is
   * called for the file. Each manifest is read once.
   *
   * @param columns the columns, in the order of the answers
   */
  def facts(columns: IndexedSeq[LeafColumn]): ManifestFile => IndexedSeq[ColumnFacts]

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
 * @param mayHaveDeletes whether rows of the file may have been deleted from the table
 * @param position its position in `ManifestTable.files`
 */
final case class ManifestFile(
    path: String,
    rows: Long,
    bytes: Long,
    mayHaveDeletes: Boolean,
    position: Int
)

/**
 * The files that a scan reads for one LIMIT. In each of them, every row satisfies the predicate, and they have at least as
 * many rows as the LIMIT needs.
 *
 * @param conjuncts the predicate, over the table's columns
 * @param files the chosen files
 * @param counts the numbers of the search
 * @param planningNanos the time that the search took, in nanoseconds
 */
final case class ChosenFiles(
    table: String,
    limit: Int,
    conjuncts: Seq[Expression],
    files: IndexedSeq[ManifestFile],
    counts: ManifestCounts,
    planningNanos: Long
) {

  /** Rows of the chosen files. */
  def rows: Long = files.iterator.map(_.rows).sum
}

/**
 * The numbers of files that a search inspected.
 *
 * @param files files that the scan would read without the LIMIT
 * @param bytes the length of all of them
 * @param filesInspected files that were classified
 */
final case class ManifestCounts(files: Int, bytes: Long, filesInspected: Int)
