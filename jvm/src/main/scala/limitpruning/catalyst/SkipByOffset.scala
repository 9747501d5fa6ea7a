package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{IntegerLiteral, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{
  GlobalLimit, LocalLimit, LogicalPlan, Offset, Subquery, UnaryNode
}
import org.apache.spark.sql.catalyst.trees.TreePattern.{CTE, LIMIT, PLAN_EXPRESSION}

import limitpruning.select.SkippedRows
import limitpruning.tables.SelectedRelation

/**
 * `LIMIT n OFFSET k` over rows of which the first are counted and not read. Spark has pushed a LIMIT of `k + n` rows below the
 * OFFSET. If `d` of its first rows are not read, an OFFSET of `k - d` over a LIMIT of `k + n - d` gives the rows that it would give
 * over all of them: these rows are proved to be enough, so even another `k + n - d` rows of the table would be a correct result.
 */
private[catalyst] object SkipByOffset {

  /**
   * The OFFSET of a query, if it is over its only LIMIT.
   *
   * @param rows the rows that it skips, at least 1 and less than the LIMIT needs
   */
  final case class Skipping(limit: LocalLimit, rows: Int)

  /**
   * None for a subquery, or if there is another LIMIT, a subquery or a common table expression: a LIMIT may then have a copy, and
   * what was chosen for it may have to be undone.
   */
  def in(plan: LogicalPlan): Option[Skipping] =
    if (isAlone(plan) && plan.collect { case limit: LocalLimit => limit }.lengthCompare(1) == 0) below(plan)
    else None

  private def isAlone(plan: LogicalPlan): Boolean = plan match {
    case _: Subquery => false
    case _ => plan.containsPattern(LIMIT) && !plan.containsAnyPattern(PLAN_EXPRESSION, CTE)
  }

  private def below(plan: LogicalPlan): Option[Skipping] = plan match {
    case OffsetOverLimit(skipped, limit) => Some(Skipping(limit, skipped))
    case node: UnaryNode => below(node.child)
    case _ => None
  }

  /** The plan with an OFFSET and a LIMIT that do not count the rows that are not read. */
  def withoutSkipped(plan: LogicalPlan): LogicalPlan =
    plan.transformDownWithPruning(_.containsPattern(LIMIT)) {
      case offset @ OffsetOverLimit(rows, limit) => skippedBelow(limit).fold[LogicalPlan](offset) { notRead =>
          val reduced = less(offset.child, notRead)
          if (rows == notRead) reduced else Offset(Literal(rows - notRead), reduced)
        }
    }

  /** The rows that are not read; none if the LIMIT does not count them. */
  private def skippedBelow(limit: LocalLimit): Option[Int] = limit.child.collectFirst {
    case SelectedRelation(_, index)
        if index.chosen.skipped != SkippedRows.Zero &&
          IntegerLiteral.unapply(limit.limitExpr).contains(index.chosen.limit) =>
      index.chosen.skipped.rows.toInt
  }

  private def less(plan: LogicalPlan, rows: Int): LogicalPlan = plan match {
    case GlobalLimit(IntegerLiteral(limit), child) => GlobalLimit(Literal(limit - rows), less(child, rows))
    case LocalLimit(IntegerLiteral(limit), child) => LocalLimit(Literal(limit - rows), child)
    case other => other
  }

  private object OffsetOverLimit {

    /** The rows that are skipped, and the LIMIT, which needs more than these. */
    def unapply(plan: Offset): Option[(Int, LocalLimit)] = (plan.offsetExpr, plan.child) match {
      case (IntegerLiteral(skipped), LimitOf(limit, needed)) if 0 < skipped && skipped < needed =>
        Some((skipped, limit))
      case _ => None
    }
  }

  /** A LIMIT with its number of rows. Spark has a global one above it if the query has the OFFSET over a LIMIT. */
  private object LimitOf {
    def unapply(plan: LogicalPlan): Option[(LocalLimit, Int)] = plan match {
      case limit @ LocalLimit(IntegerLiteral(needed), _) => Some((limit, needed))
      case GlobalLimit(IntegerLiteral(needed), limit @ LocalLimit(IntegerLiteral(same), _))
          if needed == same =>
        Some((limit, needed))
      case _ => None
    }
  }
}
