package limitpruning.select

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionSet}

import limitpruning.predicate.Column

/**
 * What was proved for one LIMIT, and how.
 *
 * @param limit rows wanted
 * @param conjuncts the predicate that every selected row satisfies, over the relation's columns
 * @param selection what to read
 * @param counts what was seen while looking
 * @param planningNanos how long looking took, in nanoseconds
 */
final case class ProvedCover(
    limit: Int,
    conjuncts: Seq[Expression],
    selection: Selection,
    counts: SearchCounts,
    planningNanos: Long
) {
  @transient private lazy val proved = normalized(conjuncts)

  /** Whether these are the filters that the selection was proved for: no more, no less. */
  def isFor(filters: Seq[Expression]): Boolean = proved == normalized(filters)

  private def normalized(predicates: Seq[Expression]): ExpressionSet =
    ExpressionSet(predicates.map(Column.normalized))

  /** What makes two scans the same scan: the rows that they read. */
  def canonicalized: ProvedCover =
    copy(limit = 0, conjuncts = Nil, counts = SearchCounts(0, 0, 0, 0, 0), planningNanos = 0)
}

/**
 * What was seen while looking for fully matching row groups.
 *
 * @param files files after partition pruning
 * @param filesLookedAt those of them whose footers were read; the row-group counts are of these
 * @param footersKept footers among them that did not have to be read, as they were kept from earlier queries
 * @param matched row groups that are not proved not matching
 * @param fullyMatched those of them that are proved to match entirely
 */
final case class SearchCounts(
    files: Int,
    filesLookedAt: Int,
    rowGroups: Int,
    matched: Int,
    fullyMatched: Int,
    footersKept: Int = 0
)
