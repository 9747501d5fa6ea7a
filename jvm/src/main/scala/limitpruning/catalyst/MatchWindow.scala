package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{Literal, RowNumber}
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan, Sort, WindowGroupLimit}

import limitpruning.search.FirstOfGroupsScan
import limitpruning.select.Reason

/**
 * Matches the first rows of each group of a table, `row_number() OVER (PARTITION BY p ORDER BY k) <= n`. Spark puts a
 * `WindowGroupLimit` below the window, in one of its last batches. Any rows of the table that include the first `n` rows of each
 * group, by all sort keys, give the same result, up to ties.
 */
object MatchWindow {

  /** The first rows of each group, or the reason why they are not pruned; `None` if they are not those of a table. */
  def of(window: WindowGroupLimit): Option[Either[Reason, FirstOfGroupsScan]] =
    if (
      !window.rankLikeFunction.isInstanceOf[RowNumber] || window.partitionSpec.isEmpty ||
      window.orderSpec.isEmpty
    ) None
    else
      MatchTopRows.inOrder(window.orderSpec, limitOf(window, window.child)).map(_.flatMap { top =>
        val keys = window.partitionSpec
        keys.flatMap(MatchLimit.unsupportedUse).headOption
          .orElse(keys.flatMap(MatchLimit.subqueryIn).headOption)
          .toLeft(FirstOfGroupsScan(top, keys.map(MatchLimit.overRelation(window.child))))
      })

  /** The LIMIT that each group has, for reports. */
  def limitOf(window: WindowGroupLimit): LocalLimit =
    limitOf(window, Sort(window.orderSpec, global = true, window.child))

  private def limitOf(window: WindowGroupLimit, child: LogicalPlan): LocalLimit =
    LocalLimit(Literal(window.limit), child)
}
