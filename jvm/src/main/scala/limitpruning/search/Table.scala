package limitpruning.search

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType

import limitpruning.parquet.ReadSettings
import limitpruning.predicate.ColumnFacts
import limitpruning.select.{ListedFile, Reason}

/**
 * A table as one query reads it: what a search needs from it, whatever its format. The format's own reader reads the chosen
 * rows; a table only restricts it. See docs/adr/0011.
 */
trait Table {

  /** The node of the logical plan that reads the table. */
  def leaf: LogicalPlan

  /** The name that users know, or the paths of a table without one. */
  def name: String

  /** The columns that a predicate can use. */
  final def output: Seq[Attribute] = leaf.output

  /** The columns whose values belong to a file as a whole; see [[limitpruning.select.ListedFile.partitionValues]]. */
  def partitionSchema: StructType

  /** How the format's reader finds and reads columns of a file. */
  def settings: ReadSettings

  /** The Hadoop configuration with which the format's reader opens files. */
  def hadoopConf: Configuration

  /** What the table cannot promise, so that no LIMIT over it is pruned; none if it promises all that is needed. */
  def unsupported: Option[Reason]

  /** What was chosen for a LIMIT over this table already. */
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

/** The files of a [[Table]] that may have rows for a predicate. */
trait TableListing {

  /** The files, in an order that is the same whenever the same state of the table is listed. */
  def files: IndexedSeq[ListedFile]

  /** What the table knows of one of the files. */
  def facts(file: ListedFile): FileFacts

  /**
   * Makes the table's own reader read what was chosen.
   *
   * @param plan the plan with the table's `leaf`
   * @return the plan, right on its own whichever strategy plans it
   */
  def read(plan: LogicalPlan, chosen: LimitPlan): LogicalPlan
}

/**
 * What a table knows of a whole file before the file's footer is read. Values of partition columns are not among it.
 *
 * @param columns ranges of values and null counts, over the rows that the table has of the file
 * @param rows rows that the table has of the file; none if only the footer says
 * @param deletedRows rows of the file that the table does not have any more; none if that is not known
 * @param isProof whether ranges and null counts are certain. If not, they decide only which files are inspected first.
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
   * @param rowsInFile by the file's own footer
   */
  def hasAllRows(rowsInFile: Long): Boolean = isWithoutDeletes && rows.forall(_ == rowsInFile)

  /** Whether the table is known to have deleted none of the file's rows. */
  def isWithoutDeletes: Boolean = deletedRows.contains(0L)
}

object FileFacts {

  /** A file of a table that has nothing but files: only the file itself says what is in it. */
  val InFooterOnly: FileFacts = FileFacts(_ => ColumnFacts.Unknown, None, Some(0), isProof = true)
}
