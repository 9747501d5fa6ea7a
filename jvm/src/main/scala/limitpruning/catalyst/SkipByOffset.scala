package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{IntegerLiteral, Literal}
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{GlobalLimit, LocalLimit, LogicalPlan, Offset, Subquery}
import org.apache.spark.sql.catalyst.trees.TreePattern.{CTE, LIMIT, PLAN_EXPRESSION}

import limitpruning.select.{ChosenRows, SkippedRows}
import limitpruning.tables.{Iceberg, SelectedRelation}

/**
 * `LIMIT n OFFSET k`, if its first rows are counted and not read. Spark has pushed a LIMIT of `k + n` rows below the OFFSET. If `d`
 * of these rows are not read, an OFFSET of `k - d` over a LIMIT of `k + n - d` gives the rows that it would give over all of them.
 * All of them are proved to satisfy the predicate, so any other `k + n - d` rows that satisfy it are a correct result, too. With
 * another predicate, the `d` rows are skipped as without the extension.
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
    if (mayHaveCopies(plan)) None
    else below(plan).filter(_ => plan.collect { case limit: LocalLimit => limit }.lengthCompare(1) == 0)

  private def mayHaveCopies(plan: LogicalPlan): Boolean = plan match {
    case _: Subquery => true
    case _ => plan.containsAnyPattern(PLAN_EXPRESSION, CTE)
  }

  private def below(plan: LogicalPlan): Option[Skipping] = plan match {
    case OffsetOverLimit(skipped, limit) => Some(Skipping(limit, skipped))
    case node => if (node.children.lengthCompare(1) == 0) below(node.children.head) else None
  }

  /**
   * @param pruned the plan with the chosen rows
   * @return the same with an OFFSET and a LIMIT that do not count the rows that are not read; none if this is not possible
   */
  def withoutSkipped(pruned: LogicalPlan): Option[LogicalPlan] =
    Some(reduced(pruned)).filterNot(_.exists {
      case limit: LocalLimit => skippedBelow(limit).nonEmpty
      case _ => false
    })

  /** The rows of a plan without those that were counted, if all rows of the table are read. */
  def skipping(chosen: ChosenRows, plan: LogicalPlan): LogicalPlan =
    Offset(Literal(chosen.skipped.rows.toInt), LocalLimit(Literal(chosen.limit), plan))

  /**
   * The LIMIT over all rows of the table, of which those that were counted are skipped, if a rule has changed the predicate since
   * then; none otherwise.
   */
  def undone(limit: LocalLimit): Option[LogicalPlan] = {
    def isUnchanged = limit.child match {
      case ScanOperation(_, Nil, filters, SelectedRelation(_, index)) => index.chosen.isChosenFor(filters)
      case _ => false
    }
    limit.child
      .collectFirst {
        case SelectedRelation(_, index) if index.chosen.skipped != SkippedRows.Zero => index.chosen
      }
      .filterNot(_ => isUnchanged)
      .map(chosen => limit.withNewChildren(Seq(skipping(chosen, SelectedRelation.restoreIn(limit.child)))))
  }

  private def reduced(plan: LogicalPlan): LogicalPlan =
    plan.transformDownWithPruning(_.containsPattern(LIMIT)) {
      case offset @ OffsetOverLimit(rows, limit) => skippedBelow(limit).fold[LogicalPlan](offset) { notRead =>
          val reduced = less(offset.child, notRead)
          if (rows == notRead) reduced else Offset(Literal(rows - notRead), reduced)
        }
    }

  /** The rows that are not read; none if there are none, or if the LIMIT does not count them any more. */
  private def skippedBelow(limit: LocalLimit): Option[Int] =
    limit.child.collectFirst(Function.unlift(chosenIn)).collect {
      case (needed, skipped) if skipped > 0 && IntegerLiteral.unapply(limit.limitExpr).contains(needed) =>
        skipped.toInt
    }

  /** The rows for which a table's rows were chosen, and those of them that are not read; none for any other node. */
  private def chosenIn(node: LogicalPlan): Option[(Int, Long)] = node match {
    case SelectedRelation(_, index) => Some((index.chosen.limit, index.chosen.skipped.rows))
    case other => Iceberg.chosen(other).flatMap(_.toOption).map(chosen => (chosen.limit, chosen.skipped))
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
