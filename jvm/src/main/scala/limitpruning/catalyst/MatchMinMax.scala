package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{
  Ascending, Attribute, Descending, Expression, Literal, NullsLast, SortDirection, SortOrder
}
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression, Complete, First, Max, MaxBy, Min, MinBy
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LocalLimit}
import org.apache.spark.sql.types.{
  ByteType, DateType, DoubleType, FloatType, IntegerType, LongType, ShortType, TimestampNTZType, TimestampType
}

import limitpruning.search.{LimitedScan, Table, TopRowsScan}
import limitpruning.select.Reason

/**
 * Matches `SELECT min(k), max(k), max_by(x, k) …`, without GROUP BY, over a plan that [[MatchLimit]] matches. The value of a max is
 * that of the first row by `ORDER BY k DESC NULLS LAST LIMIT 1`, and that of a min is that of the first row by `ORDER BY k NULLS
 * LAST LIMIT 1`. So any rows of the table that include the first row in each of these orders give the same values.
 *
 * `SELECT any_value(x), any_value(y) …` has the values of any row, by `LIMIT 1`. For Spark's optimizer, it is `first(x), first(y)`.
 */
object MatchMinMax {

  /** Each order is searched for on its own. */
  private val MostOrders = 4

  /**
   * The scan below `aggregate`, in each of the orders whose first rows have its values, at least one, as they are best searched for;
   * the reason why it is not pruned; `None` if `aggregate` is another one, or not over Parquet.
   */
  def of(aggregate: Aggregate): Option[Either[Reason, Seq[TopRowsScan]]] =
    over(aggregate)(MatchLimit.of).map(_.map(_.map(MatchTopRows.scanOf).sortBy(mayOccur)))

  /**
   * The scan below `aggregate`, in each of the orders whose first rows have its values, at least one; the reason why it is not
   * pruned; `None` if `aggregate` is another one, or not over such a scan.
   *
   * @param below the scan below a LIMIT without ORDER BY; see [[MatchLimit.over]]
   */
  def over[S](aggregate: Aggregate)(
      below: LocalLimit => Option[Either[Reason, S]]
  ): Option[Either[Reason, Seq[MatchTopRows.Ordered[S]]]] = {
    val scans = ordersOf(aggregate).map(order =>
      MatchTopRows.overInOrder(Seq(order), firstRow(aggregate))(below)
    )
    if (scans.isEmpty || scans.exists(_.isEmpty)) None
    else {
      val found = scans.flatten
      val tops = found.collect { case Right(top) => top }
      Some(found.collectFirst { case Left(reason) => reason }.toLeft(tops))
    }
  }

  /**
   * The scan below `aggregate`, if any row of it has all values; the reason why it is not pruned; `None` if `aggregate` is another
   * one, or not over Parquet.
   */
  def anyRow(aggregate: Aggregate): Option[Either[Reason, LimitedScan[Table]]] =
    if (isOfAnyRow(aggregate)) MatchLimit.of(firstRow(aggregate)) else None

  private def isOfAnyRow(aggregate: Aggregate): Boolean = aggregate.groupingExpressions.isEmpty && {
    val functions = functionsOf(aggregate)
    functions.nonEmpty && functions.forall(function =>
      function.mode == Complete && function.filter.isEmpty &&
        (function.aggregateFunction match {
          // Otherwise, its value is that of a row in which it is not NULL.
          case first: First => !first.ignoreNulls && isSupported(first.child)
          case _ => false
        })
    )
  }

  /**
   * Whether a min or max in a footer may count as a value of the key, so that an unsorted key is pruned, too. If another key is
   * not sorted, this is known after a few footers, so it is searched for first.
   */
  private def mayOccur(top: TopRowsScan): Boolean = {
    val key = top.order.first
    key.child.isInstanceOf[Attribute] &&
    (key.dataType match {
      case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType | TimestampNTZType => true
      case _ => false
    })
  }

  /** A LIMIT that has the values, if its rows are in these orders; for reports. None if `aggregate` is another one. */
  def limitOf(aggregate: Aggregate): Option[LocalLimit] =
    if (ordersOf(aggregate).nonEmpty || isOfAnyRow(aggregate)) Some(firstRow(aggregate)) else None

  /** Whether the values are those of first rows in more than one order. */
  def hasSeveralOrders(aggregate: Aggregate): Boolean = ordersOf(aggregate).size > 1

  /**
   * Whether a value is that of any one of several rows, such as those with the same key. Spark may copy the aggregate, and all copies must have the same
   * value.
   */
  def isOfTies(aggregate: Aggregate): Boolean = functionsOf(aggregate).exists(_.aggregateFunction match {
    case _: MaxBy | _: MinBy | _: First => true
    case _ => false
  })

  private def functionsOf(aggregate: Aggregate): Seq[AggregateExpression] =
    aggregate.aggregateExpressions.flatMap(_.collect { case one: AggregateExpression => one })

  private def firstRow(aggregate: Aggregate): LocalLimit = LocalLimit(Literal(1), aggregate.child)

  /** The orders whose first rows have the values of all functions of the aggregate; empty if there are no such orders. */
  private def ordersOf(aggregate: Aggregate): Seq[SortOrder] =
    if (aggregate.groupingExpressions.nonEmpty) Nil
    else {
      val orders = functionsOf(aggregate).map(orderOf)
      if (orders.forall(_.nonEmpty))
        Some(differentOf(orders.flatten)).filter(_.size <= MostOrders).getOrElse(Nil)
      else Nil
    }

  /** A query may have hundreds of functions, so more than enough orders are not compared. */
  private def differentOf(orders: Seq[SortOrder]): Seq[SortOrder] =
    orders.foldLeft(Vector.empty[SortOrder]) { (known, order) =>
      if (known.size > MostOrders || known.exists(_.semanticEquals(order))) known else known :+ order
    }

  private def orderOf(function: AggregateExpression): Option[SortOrder] =
    if (function.mode != Complete || function.filter.nonEmpty) None
    else function.aggregateFunction match {
      case max: Max => order(max.child, Descending)
      case min: Min => order(min.child, Ascending)
      // Of rows with the same key, the value is that of any one.
      case max: MaxBy if isSupported(max.valueExpr) => order(max.orderingExpr, Descending)
      case min: MinBy if isSupported(min.valueExpr) => order(min.orderingExpr, Ascending)
      case _ => None
    }

  /** Of 0.0 and -0.0, which are equal, the value is any one. So nothing about floats changes. */
  private def order(key: Expression, direction: SortDirection): Option[SortOrder] = key.dataType match {
    case FloatType | DoubleType => None
    case _ if !isSupported(key) => None
    case _ => Some(SortOrder(key, direction, NullsLast, Nil))
  }

  private def isSupported(e: Expression): Boolean = MatchLimit.unsupportedUse(e).isEmpty
}
