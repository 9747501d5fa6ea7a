package limitpruning.select

import org.apache.spark.sql.catalyst.expressions.Expression

/** Why a LIMIT is not covered: a stable code, and a sentence. */
final case class NotCovered(code: String, message: String)

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
    top: Option[TopRows] = None,
    notCovered: Option[NotCovered] = None
) extends ChosenRows {
  override def areProved: Boolean = false

  override def canonicalized: CandidateRows =
    // What is left out while reading depends on the limit and the order, and of files not looked at on the limit.
    copy(
      limit = if (top.isEmpty && selection.unseen.isEmpty) 0 else limit,
      conjuncts = Nil,
      counts = SearchCounts.None,
      planningNanos = 0,
      top = top.map(wanted => TopRows("", wanted.order, None, 0, 0)),
      notCovered = None
    )
}
