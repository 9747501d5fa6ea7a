package limitpruning.select

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * Rows among which the answer is, in the order in which they are best read. Others may be among them, so the filter stays,
 * and more rows than these would do no harm.
 *
 * @param conjuncts the predicate for which all other rows were left out, over the relation's columns
 * @param top why the others were left out, where the first rows in an order are wanted
 */
final case class CandidateRows(
    limit: Int,
    conjuncts: Seq[Expression],
    selection: Selection,
    counts: SearchCounts,
    planningNanos: Long,
    top: Option[TopRows] = None
) extends ChosenRows {
  override def areProved: Boolean = false

  override def canonicalized: CandidateRows =
    // What is left out while reading depends on the limit and the order.
    copy(
      limit = if (top.isEmpty) 0 else limit,
      conjuncts = Nil,
      counts = SearchCounts.None,
      planningNanos = 0,
      top = top.map(wanted => TopRows("", wanted.order, None, 0, 0))
    )
}
