package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.Expression

/** What a LIMIT needs of a table, as it is matched in a plan. */
sealed trait LimitQuery {

  /** The scan below the LIMIT. */
  def scan: LimitedScan[Table]

  /** Expressions over the table's columns about which a search of metadata needs facts, besides the predicate. */
  def alsoNeeded: Seq[Expression]

  /** The order in which the first rows are needed; none if it does not matter. */
  def sortKeys: Option[SortKeys] = None
}

/** A LIMIT without ORDER BY and GROUP BY: any rows that match will do. */
final case class AnyRowsScan(scan: LimitedScan[Table]) extends LimitQuery {
  override def alsoNeeded: Seq[Expression] = Nil
}

/**
 * ORDER BY … LIMIT over a table, with only deterministic projections and filters between them. Any rows of the table
 * that include the first `limit` rows give the same result, up to ties.
 *
 * @param scan the scan below the Sort; all columns that the query reads are needed, because the filter stays
 * @param isJoined whether there are outer joins between the Sort and the scan
 */
final case class TopRowsScan(scan: LimitedScan[Table], order: SortKeys, isJoined: Boolean = false)
    extends LimitQuery {
  override def alsoNeeded: Seq[Expression] = Seq(order.first.child)
  override def sortKeys: Option[SortKeys] = Some(order)
}

/**
 * GROUP BY … LIMIT, or DISTINCT … LIMIT, over a table, with only deterministic projections and filters between them. Any
 * `limit` groups are a correct result, if each group is the same as over the whole table.
 *
 * @param scan the scan below the Aggregate; its limit is a number of groups
 * @param keys the keys of the groups, over the table's columns; at least one
 * @param areKeysAll whether a group consists of its keys only, so that any one of its rows gives the whole group
 */
final case class GroupsScan(scan: LimitedScan[Table], keys: Seq[Expression], areKeysAll: Boolean)
    extends LimitQuery {
  override def alsoNeeded: Seq[Expression] = KeyTuples.compared(keys)
}

/**
 * ANY_VALUE without GROUP BY over a table: any row that matches has its values.
 *
 * @param scan its limit is 1
 */
final case class AnyValueScan(scan: LimitedScan[Table]) extends LimitQuery {
  override def alsoNeeded: Seq[Expression] = Nil
}

/**
 * MIN and MAX without GROUP BY over a table: the first row in each of the orders gives their values.
 *
 * @param orders of one scan, whose limit is 1; at least one
 */
final case class MinMaxScan(orders: Seq[TopRowsScan]) extends LimitQuery {
  override def scan: LimitedScan[Table] = orders.head.scan
  override def alsoNeeded: Seq[Expression] = orders.map(_.order.first.child)
}

object MinMaxScan {

  /** A MIN or MAX skips at least this share of the bytes. */
  val LeastSkipped = 0.75

  /**
   * Whether so few bytes are read that a selection pays: Spark may read the table once for several aggregates over it, and not
   * if one of them has a selection.
   *
   * @param bytes of what is read
   * @param all of the table
   */
  def pays(bytes: Long, all: Long): Boolean = bytes <= all * (1 - LeastSkipped)
}
