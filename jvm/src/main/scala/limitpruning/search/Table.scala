package limitpruning.search

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType

import limitpruning.parquet.ReadSettings
import limitpruning.predicate.{ColumnFacts, LeafColumn}
import limitpruning.select.{ListedFile, Reason}

/**
 * A table as one query reads it, with all that a search needs from it, independent of the table's format. The format's
 * own reader reads the chosen rows; a table only restricts it. See docs/adr/0011.
 */
trait Table {

  /** The node of the logical plan that reads the table. */
  def leaf: LogicalPlan

  /** The name of the table, or the paths of a table without a name. */
  def name: String

  /** The columns that a predicate can use. */
  final def output: Seq[Attribute] = leaf.output

  /** The columns that have one value for a whole file; see [[limitpruning.select.ListedFile.partitionValues]]. */
  def partitionSchema: StructType

  /** How the format's reader finds and reads columns of a file. */
  def settings: ReadSettings

  /** The Hadoop configuration with which the format's reader opens files. */
  def hadoopConf: Configuration

  /** Why no LIMIT over the table is pruned; none if the table meets all conditions. */
  def unsupported: Option[Reason]

  /** What has already been chosen for a LIMIT over this table; none if nothing has. */
  def selected: Option[LimitPlan]

  /**
   * Whether the list of files alone decides a conjunct: in each listed file, all rows satisfy it. No proof uses it. It
   * decides how many files are inspected first.
   */
  def decides(conjunct: Expression): Boolean

  /**
   * Lists the table once: the files that `leaf` would read, in the state that the query reads.
   *
   * @param conjuncts the predicate above `leaf`. A listing may leave out a file in which no row satisfies it. Filters that
   *   Spark has already pushed into `leaf` apply as well.
   */
  def list(conjuncts: Seq[Expression]): TableListing
}

/** The files of a [[Table]] that may contain rows that match a predicate. */
trait TableListing {

  /**
   * The files, always in the same order for the same state of the table. Each file is whole, and has a position of its
   * own, by which selections identify it.
   */
  def files: IndexedSeq[ListedFile]

  /** The table's facts about one of the files. */
  def facts(file: ListedFile): FileFacts

  /**
   * Changes a plan so that the table's own reader reads the chosen rows. The changed plan fulfils four conditions:
   *
   *  - it gives correct rows with any planner strategy;
   *  - deleted rows of selected files stay deleted;
   *  - it is equal to another plan only if both read the same rows, so that Spark never reuses one for the other;
   *  - if a filter comes in later, such as a runtime filter, all files that this filter leaves are read again, because
   *    fewer of the chosen rows may pass it than the LIMIT needs.
   *
   * @param plan the plan with the table's `leaf`
   */
  def read(plan: LogicalPlan, chosen: LimitPlan): LogicalPlan
}

/**
 * The table's facts about a whole file, available before the file's footer is read. Values of partition columns are not
 * included.
 *
 * @param columns value ranges, and whether there are nulls, for the rows of the file that are in the table; a range may be
 *   wider than the values
 * @param rows number of rows in the file, including deleted rows; none if only the footer has it
 * @param deletedRows number of rows of the file that are no longer in the table; none if unknown
 * @param isProof whether the facts about columns are certain. Then ORDER BY … LIMIT skips files by them without reading
 *   their footers. If not, they decide only which files are inspected first.
 */
final case class FileFacts(
    columns: LeafColumn => ColumnFacts,
    rows: Option[Long],
    deletedRows: Option[Long],
    isProof: Boolean
) {

  /**
   * Whether all rows of the file are rows of the table.
   *
   * @param rowsInFile row count in the file's own footer
   */
  def hasAllRows(rowsInFile: Long): Boolean = isWithoutDeletes && rows.forall(_ == rowsInFile)

  /** Whether it is certain that no row of the file was deleted from the table. */
  def isWithoutDeletes: Boolean = deletedRows.contains(0L)
}

object FileFacts {

  /** A file whose rows are all in the table, and of which only the footer says more. */
  val NothingDeleted: FileFacts = FileFacts(_ => ColumnFacts.Unknown, None, Some(0), isProof = true)
}
