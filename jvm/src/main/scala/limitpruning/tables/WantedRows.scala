package limitpruning.tables

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.QueryPlan

import limitpruning.search.{LikelyRowGroups, LimitPlan, NotPruned, SampleRowGroups, SortKeys}

/**
 * The rows that a LIMIT needs, if they are chosen when the query runs.
 *
 * @param limit rows that the LIMIT needs, with its OFFSET
 * @param conjuncts the predicate, with subqueries, over the table's columns
 * @param order none if any rows that match will do
 * @param searched what the search of metadata found while planning, which does not cover the LIMIT or reads more rows than it
 *   needs, so that columns are read to choose the rows; none if metadata have not been searched
 * @param saved the compressed bytes that plain Spark reads more, if it reads the whole table
 * @param isRoot whether the LIMIT is at the root of the query, so that an action may need few partitions of the table
 * @param inFirstTask whether it pays, at the root, to read the columns of the predicate first in each task, too
 * @param likely where metadata that have been searched prove or promise rows
 * @param groups the keys of groups, over the table's columns: of each, the first `limit` rows are needed, and without an order, one row
 *   of each of `limit` groups; empty if the LIMIT counts rows
 * @param ofCopies the columns that the query reads of the relation, if it is on the preserved side of outer joins. Spark may copy this
 *   side into runtime filters, and each copy must have the same rows, so they are chosen once for all copies.
 * @param sample the row groups in which rows of groups are searched for; none for the whole table
 */
final case class WantedRows(
    limit: Int,
    conjuncts: Seq[Expression],
    order: Option[SortKeys],
    searched: Option[Either[NotPruned, LimitPlan]] = None,
    saved: Long = 0,
    isRoot: Boolean = false,
    inFirstTask: Boolean = false,
    likely: LikelyRowGroups = LikelyRowGroups.none,
    groups: Seq[Expression] = Nil,
    ofCopies: Option[AttributeSet] = None,
    sample: Option[SampleRowGroups] = None
) {

  /** The columns whose values decide which rows are chosen, besides those of the predicate. */
  def keys: Seq[Expression] = order.toSeq.flatMap(_.all.map(_.child)) ++ groups

  /** Whether the first rows of any file will do, and metadata have not been searched. */
  def areAny: Boolean = conjuncts.isEmpty && order.isEmpty && searched.isEmpty

  /**
   * What decides which rows are chosen, in a form that does not depend on the ids of columns.
   *
   * The predicate counts: Spark merges subqueries over equal relations, `SELECT max(k) FROM t WHERE p` with `SELECT max(k) FROM
   * t` into one aggregate with a FILTER, which needs the rows of both.
   *
   * @param columns the columns of the relation
   */
  private[tables] def canonicalized(columns: Seq[Attribute]): Any = {
    def normalized(e: Expression) = QueryPlan.normalizeExpressions(e, columns).canonicalized
    (
      limit,
      conjuncts.map(normalized),
      order.map(_.all.map(normalized)),
      groups.map(normalized),
      searched.nonEmpty
    )
  }
}
