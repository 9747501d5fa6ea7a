package limitpruning.search

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType

import limitpruning.footers.FactsCache
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

  /** The columns of [[partitionSchema]] in `output`, in the same order, as Spark's planner finds them. */
  final lazy val partitionColumns: Seq[Attribute] = leaf.resolve(partitionSchema, settings.resolver)

  /** How the format's reader finds and reads columns of a file. */
  def settings: ReadSettings

  /** The Hadoop configuration with which the format's reader opens files. */
  def hadoopConf: Configuration

  /** Why no LIMIT over the table is pruned; none if the table meets all conditions. */
  def unsupported: Option[Reason]

  /**
   * Why the rows of a file cannot be counted on, if missing or corrupt files are skipped while reading; none if such files
   * are errors. A [[limitpruning.select.Selection]] then needs a reserve.
   */
  def toleratesBadFiles: Option[Reason.ToleratesBadFiles] = None

  /** Whether it is certain that the format's reader can return single rows of a row group, if it reads these columns. */
  def isVectorized(columns: AttributeSet): Boolean

  /** Whether rows can be chosen when the query runs, for a predicate with subqueries. */
  def canDecideWhenRun: Boolean = false

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
   * @param keys other expressions for which the search needs facts about files
   * @param cache what is remembered of other listings
   */
  def list(conjuncts: Seq[Expression], keys: Seq[Expression], cache: FactsCache): TableListing
}

/** The files of a [[Table]] that may contain rows that match a predicate. */
trait TableListing {

  /**
   * The files, always in the same order for the same state of the table. Each file is whole, and has a position of its
   * own, by which selections identify it.
   */
  def files: IndexedSeq[ListedFile]

  /** Whether the table has facts about its files. If not, they are all [[FileFacts.NothingDeleted]]. */
  def hasFacts: Boolean

  /** Whether no file has deleted rows. */
  final def areWithoutDeletes: Boolean = !hasFacts || files.forall(facts(_).isWithoutDeletes)

  /**
   * Whether asking for facts about columns costs less than the footers that they may save. If not, the search asks only
   * where a footer says nothing.
   */
  def isWorthAskingFirst: Boolean

  /**
   * Whether the format never changes a file. Its log may then have other modification times than the store.
   */
  def areFilesImmutable: Boolean = false

  /** How many files, from the first on, have facts that are cheap to get together. The other files' facts cost more. */
  def cheapFacts: Int = Int.MaxValue

  /** The files of the table that its log has proved to be unnecessary, so that they are not listed; none if unknown. */
  def prunedByLog: Option[Long] = None

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
 * @param columns what is certain about the values of columns, for the rows of the file that are in the table; a range may
 *   be wider than the values
 * @param knows whether `columns` may say something about a column; free of I/O
 * @param rows number of rows in the file, including deleted rows; none if only the footer has it
 * @param deletedRows number of rows of the file that are no longer in the table; none if unknown
 * @param hints what is expected of the values of columns; it only decides which files are inspected first
 */
final case class FileFacts(
    columns: LeafColumn => ColumnFacts,
    knows: LeafColumn => Boolean,
    rows: Option[Long],
    deletedRows: Option[Long],
    hints: LeafColumn => ColumnFacts
) {

  /** Whether it is certain that no row of the file was deleted from the table. */
  def isWithoutDeletes: Boolean = deletedRows.contains(0L)
}

object FileFacts {

  /** A file whose rows are all in the table, and of which only the footer says more. */
  val NothingDeleted: FileFacts =
    FileFacts(_ => ColumnFacts.Unknown, _ => false, None, Some(0), _ => ColumnFacts.Unknown)
}
