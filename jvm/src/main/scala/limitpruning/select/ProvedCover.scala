package limitpruning.select

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * Rows that are proved to satisfy the predicate, as many as the limit wants or all that there are.
 *
 * @param conjuncts the predicate that every selected row satisfies, over the relation's columns
 */
final case class ProvedCover(
    limit: Int,
    conjuncts: Seq[Expression],
    selection: Selection,
    counts: SearchCounts,
    planningNanos: Long
) extends ChosenRows {
  override def areProved: Boolean = true

  override def canonicalized: ProvedCover =
    copy(limit = 0, conjuncts = Nil, counts = SearchCounts.None, planningNanos = 0)
}
