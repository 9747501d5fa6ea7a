package limitpruning.search

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType

import limitpruning.parquet.ReadSettings
import limitpruning.predicate.ColumnFacts
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

  /** Whether the list of files alone decides a conjunct: in each listed file, all rows satisfy it. */
  def decides(conjunct: Expression): Boolean

  /**
   * Lists the table once.
   *
   * @param conjuncts the predicate of the query
   */
  def list(conjuncts: Seq[Expression]): TableListing
}

/** The files of a [[Table]] that may contain rows that match a predicate. */
trait TableListing {

  /** The files, always in the same order for the same state of the table. */
  def files: IndexedSeq[ListedFile]

  /** The table's facts about one of the files. */
  def facts(file: ListedFile): FileFacts

  /**
   * Changes a plan so that the table's own reader reads the chosen rows.
   *
   * @param plan the plan with the table's `leaf`
   * @return the changed plan; it gives correct rows with any planner strategy
   */
  def read(plan: LogicalPlan, chosen: LimitPlan): LogicalPlan
}

/**
 * The table's facts about a whole file, available before the file's footer is read. Values of partition columns are not
 * included.
 *
 * @param columns value ranges and null counts, over the rows of the file that are in the table
 * @param rows number of rows of the file that are in the table; none if only the footer has it
 * @param deletedRows number of rows of the file that are no longer in the table; none if unknown
 * @param isProof whether ranges and null counts are certain. If not, they decide only which files are inspected
 *   first.
 */
final case class FileFacts(
    columns: Attribute => ColumnFacts,
    rows: Option[Long],
    deletedRows: Option[Long],
    isProof: Boolean
) {

  /**
   * Whether the rows of the file are the rows of the table.
   *
   * @param rowsInFile row count in the file's own footer
   */
  def hasAllRows(rowsInFile: Long): Boolean = isWithoutDeletes && rows.forall(_ == rowsInFile)

  /** Whether it is certain that no row of the file was deleted from the table. */
  def isWithoutDeletes: Boolean = deletedRows.contains(0L)
}

object FileFacts {

  /** A file of a table that consists only of files: only the footer describes its content. */
  val InFooterOnly: FileFacts = FileFacts(_ => ColumnFacts.Unknown, None, Some(0), isProof = true)
}
