package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{
  Ascending, Descending, Expression, Literal, NullsLast, SortDirection, SortOrder
}
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression, Complete, Max, MaxBy, Min, MinBy
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LocalLimit}
import org.apache.spark.sql.types.{DoubleType, FloatType}

import limitpruning.search.TopRowsScan
import limitpruning.select.Reason

/**
 * Matches `SELECT max(k)`, `min(k)`, `max_by(x, k)` or `min_by(x, k)`, without GROUP BY, over a plan that [[MatchLimit]]
 * matches. The value is that of the first row by `ORDER BY k DESC NULLS LAST LIMIT 1`, or by `ORDER BY k NULLS LAST LIMIT 1`. So
 * any rows of the table that include this row give the same value: the rows that are chosen for the ORDER BY.
 */
object MatchMinMax {

  /**
   * The scan below `aggregate`, in the order whose first row has the value; the reason why it is not pruned; `None` if
   * `aggregate` is another one, or not over Parquet.
   */
  def of(aggregate: Aggregate): Option[Either[Reason, TopRowsScan]] =
    orderOf(aggregate).flatMap(order => MatchTopRows.first(order, firstRow(aggregate)))

  /** A LIMIT that has the value, if its rows are in this order; for reports. None if `aggregate` is another one. */
  def limitOf(aggregate: Aggregate): Option[LocalLimit] =
    orderOf(aggregate).map(_ => firstRow(aggregate))

  private def firstRow(aggregate: Aggregate): LocalLimit = LocalLimit(Literal(1), aggregate.child)

  /** The order whose first row has the values of all functions of the aggregate; none if there is no such order. */
  private def orderOf(aggregate: Aggregate): Option[SortOrder] =
    if (aggregate.groupingExpressions.nonEmpty) None
    else {
      val functions = aggregate.aggregateExpressions.flatMap(_.collect { case one: AggregateExpression =>
        one
      })
      val orders = functions.map(orderOf)
      orders.headOption.flatten.filter(first => orders.forall(_.exists(_.semanticEquals(first))))
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
