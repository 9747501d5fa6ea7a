package limitpruning.select

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionSet}

import limitpruning.predicate.{LeafColumn, FirstKey}

/** What a scan reads for one LIMIT: the rows, the predicate for which they were chosen, and what was seen on the way. */
trait ChosenRows {

  /** Rows wanted. */
  def limit: Int

  /** The predicate, over the relation's columns. */
  def conjuncts: Seq[Expression]

  /** What to read. */
  def selection: Selection

  /** What was seen while looking. */
  def counts: SearchCounts

  /** How long looking took, in nanoseconds. */
  def planningNanos: Long

  /** Whether every selected row satisfies the predicate; where not, the filter stays. */
  def allRowsMatch: Boolean

  /** Why the first rows in an order are among the selected rows; none if any rows would do. */
  def top: Option[TopRows] = None

  /** Why the selected rows are not known to be enough; none if they are, or if the first rows in an order are needed. */
  def notCovered: Option[Reason] = None

  /** What makes two scans the same scan: the rows that they read. */
  def canonicalized: ChosenRows

  @transient private lazy val chosenFor = normalized(conjuncts)

  /** Whether these are the filters that the rows were chosen for: no more, no less. */
  def isChosenFor(filters: Seq[Expression]): Boolean = chosenFor == normalized(filters)

  /** Whether the rows were chosen for each of these filters, and perhaps for others. */
  def isChosenForAll(filters: Seq[Expression]): Boolean = normalized(filters).subsetOf(chosenFor)

  private def normalized(predicates: Seq[Expression]): ExpressionSet =
    ExpressionSet(predicates.map(LeafColumn.normalized))
}

/**
 * What was seen while looking at row groups.
 *
 * @param files files after partition pruning
 * @param filesInspected those of them whose footers were read; the row-group counts are of these
 * @param matched row groups that are not proved not matching
 * @param fullyMatched those of them that are proved to match entirely
 * @param footersCached footers among those looked at that did not have to be read
 * @param bytes the length of all files
 */
final case class SearchCounts(
    files: Int,
    filesInspected: Int,
    rowGroups: Int,
    matched: Int,
    fullyMatched: Int,
    footersCached: Int = 0,
    bytes: Long = 0
)

object SearchCounts {

  /** Nothing was seen. */
  val Zero: SearchCounts = SearchCounts(0, 0, 0, 0, 0)
}

/**
 * Rows that are proved to satisfy the predicate, as many as the limit wants or all that there are.
 *
 * @param conjuncts the predicate that every selected row satisfies, over the relation's columns
 */
final case class ProvedRows(
    limit: Int,
    conjuncts: Seq[Expression],
    selection: Selection,
    counts: SearchCounts,
    planningNanos: Long
) extends ChosenRows {
  override def allRowsMatch: Boolean = true

  override def canonicalized: ProvedRows =
    copy(limit = 0, conjuncts = Nil, counts = SearchCounts.Zero, planningNanos = 0)
}

/**
 * Rows among which the answer is, in the order in which they are best read. Others may be among them, so the filter stays,
 * and more rows than these would do no harm.
 *
 * @param conjuncts the predicate for which all other rows were left out, over the relation's columns
 * @param top why the others were left out, where the first rows in an order are wanted
 * @param notCovered why the answer is not known to be covered, where any rows would do
 */
final case class CandidateRows(
    limit: Int,
    conjuncts: Seq[Expression],
    selection: Selection,
    counts: SearchCounts,
    planningNanos: Long,
    override val top: Option[TopRows] = None,
    override val notCovered: Option[Reason] = None
) extends ChosenRows {
  override def allRowsMatch: Boolean = false

  override def canonicalized: CandidateRows =
    // What is left out while reading depends on the limit and the order, and of files not looked at on the limit.
    copy(
      limit = if (top.isEmpty && selection.unseen.isEmpty) 0 else limit,
      conjuncts = Nil,
      counts = SearchCounts.Zero,
      planningNanos = 0,
      top = top.map(wanted => TopRows("", wanted.order, None, 0, 0)),
      notCovered = None
    )
}

/**
 * Why the first rows in an order are among those selected.
 *
 * @param key the first sort key with its direction, as SQL
 * @param order the order that it makes
 * @param bound the place that `rowsCertain` rows are certain to reach, as SQL, where these are as many as the limit
 * @param rowGroupsDropped row groups all of whose rows are behind the bound, though they may match
 */
final case class TopRows(
    key: String,
    order: FirstKey,
    bound: Option[String],
    rowsCertain: Long,
    rowGroupsDropped: Int
)
