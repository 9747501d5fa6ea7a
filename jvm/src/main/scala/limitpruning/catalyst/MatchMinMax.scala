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

import limitpruning.search.{AnyRowsScan, LimitQuery, MinMaxScan, TopRowsScan}
import limitpruning.select.Reason

/**
 * Matches `SELECT min(k), max(k), max_by(x, k), any_value(x) …`, without GROUP BY, over a plan that [[MatchLimit]] matches. The value
 * of a max is that of the first row by `ORDER BY k DESC NULLS LAST LIMIT 1`, that of a min is that of the first row by `ORDER BY k
 * NULLS LAST LIMIT 1`, and any_value is that of any row. So any rows of the table that include the first row in each of these
 * orders, and at least one row, give such values.
 */
object MatchMinMax {

  /** Each order is searched for on its own. */
  private val MostOrders = 4

  /**
   * What the values of `aggregate` need of the scan below it, or the reason why it is not pruned; `None` if `aggregate` is another
   * one, or not over Parquet.
   */
  def of(aggregate: Aggregate): Option[Either[Reason, LimitQuery]] = ordersOf(aggregate).flatMap {
    case Nil => MatchLimit.of(firstRow(aggregate)).map(_.map(AnyRowsScan(_)))
    case orders =>
      val scans = orders.map(order => MatchTopRows.inOrder(Seq(order), firstRow(aggregate)))
      if (scans.exists(_.isEmpty)) None
      else {
        val found = scans.flatten
        // As they are best searched for.
        val tops = found.collect { case Right(top) => top }.sortBy(mayOccur)
        Some(found.collectFirst { case Left(reason) => reason }.toLeft(MinMaxScan(tops)))
      }
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
    ordersOf(aggregate).map(_ => firstRow(aggregate))

  /** Whether the values are those of the first row in one order. */
  def hasOneOrder(aggregate: Aggregate): Boolean = ordersOf(aggregate).exists(_.size == 1)

  private def firstRow(aggregate: Aggregate): LocalLimit = LocalLimit(Literal(1), aggregate.child)

  /**
   * The orders whose first rows have the values of all functions of the aggregate, none of them if any row has; none if there are no
   * such orders.
   */
  private def ordersOf(aggregate: Aggregate): Option[Seq[SortOrder]] =
    if (aggregate.groupingExpressions.nonEmpty) None
    else {
      val functions = aggregate.aggregateExpressions.flatMap(_.collect { case one: AggregateExpression =>
        one
      })
      val ordered = functions.filterNot(isOfAnyRow)
      val orders = ordered.map(orderOf)
      if (functions.nonEmpty && orders.forall(_.nonEmpty))
        Some(differentOf(orders.flatten)).filter(_.size <= MostOrders)
      else None
    }

  /** A query may have hundreds of functions, so more than enough orders are not compared. */
  private def differentOf(orders: Seq[SortOrder]): Seq[SortOrder] =
    orders.foldLeft(Vector.empty[SortOrder]) { (known, order) =>
      if (known.size > MostOrders || known.exists(_.semanticEquals(order))) known else known :+ order
    }

  /** Whether the value is that of any row: Spark replaces any_value by first, whose value depends on the order of rows, too. */
  private def isOfAnyRow(function: AggregateExpression): Boolean = isOfEachRow(function) &&
    (function.aggregateFunction match {
      // If nulls do not count, not every row has a value.
      case First(value, ignoresNulls) => !ignoresNulls && isSupported(value)
      case _ => false
    })

  private def isOfEachRow(function: AggregateExpression): Boolean =
    function.mode == Complete && function.filter.isEmpty

  private def orderOf(function: AggregateExpression): Option[SortOrder] =
    if (!isOfEachRow(function)) None
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
