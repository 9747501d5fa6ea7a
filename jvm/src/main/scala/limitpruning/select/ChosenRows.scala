package limitpruning.select

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionSet}

import limitpruning.predicate.Column

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
  def areProved: Boolean

  /** What makes two scans the same scan: the rows that they read. */
  def canonicalized: ChosenRows

  @transient private lazy val chosenFor = normalized(conjuncts)

  /** Whether these are the filters that the rows were chosen for: no more, no less. */
  def isFor(filters: Seq[Expression]): Boolean = chosenFor == normalized(filters)

  /** Whether the rows were chosen for each of these filters, and perhaps for others. */
  def isForAll(filters: Seq[Expression]): Boolean = normalized(filters).subsetOf(chosenFor)

  private def normalized(predicates: Seq[Expression]): ExpressionSet =
    ExpressionSet(predicates.map(Column.normalized))
}

/**
 * What was seen while looking at row groups.
 *
 * @param files files after partition pruning
 * @param filesLookedAt those of them whose footers were read; the row-group counts are of these
 * @param matched row groups that are not proved not matching
 * @param fullyMatched those of them that are proved to match entirely
 * @param footersKept footers among those looked at that did not have to be read
 * @param bytes the length of all files
 */
final case class SearchCounts(
    files: Int,
    filesLookedAt: Int,
    rowGroups: Int,
    matched: Int,
    fullyMatched: Int,
    footersKept: Int = 0,
    bytes: Long = 0
)

object SearchCounts {

  /** Nothing was seen. */
  val None: SearchCounts = SearchCounts(0, 0, 0, 0, 0)
}
