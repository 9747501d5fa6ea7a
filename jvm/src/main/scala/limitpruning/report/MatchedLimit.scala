package limitpruning.report

import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LocalLimit, LogicalPlan, WindowGroupLimit}

import limitpruning.catalyst.{AboveTable, MatchLimit, MatchMinMax, MatchQuery, MatchWindow}
import limitpruning.search.{LimitedScan, NotPruned, Table}
import limitpruning.select.Reason
import limitpruning.tables.{Iceberg, SelectedRelation, Tables, UndecidedRelation}

/** A MIN, MAX or ANY_VALUE whose rows are chosen, as the LIMIT that has the same value. */
private[report] object PrunedMinMax {
  def unapply(plan: LogicalPlan): Option[LocalLimit] = plan match {
    case aggregate: Aggregate if isChosen(aggregate) => MatchMinMax.limitOf(aggregate)
    case _ => None
  }

  /** Not if another aggregate is between it and the table: that one is pruned. */
  private def isChosen(aggregate: Aggregate): Boolean =
    MatchMinMax.of(aggregate).exists(_.exists(_.head.scan.table.selected.nonEmpty)) ||
      MatchMinMax.anyRow(aggregate).exists(_.exists(_.table.selected.nonEmpty)) ||
      MatchMinMax.over(aggregate)(MatchLimit.over(_)(Iceberg.chosen)).exists(_.isRight)
}

/** The first rows of each group, if they are chosen when the query runs, as the ORDER BY … LIMIT that each group has. */
private[report] object PrunedWindow {
  def unapply(plan: LogicalPlan): Option[LocalLimit] = plan match {
    case window: WindowGroupLimit if window.collectLeaves().exists(isChosen) =>
      Some(MatchWindow.limitOf(window))
    case _ => None
  }

  private def isChosen(leaf: LogicalPlan): Boolean = leaf match {
    case UndecidedRelation(_, index) => index.wanted.order.nonEmpty && index.wanted.groups.nonEmpty
    case _ => false
  }
}

/** Finds the scan that a LIMIT of an optimized plan is about, as the rule found it. */
private[report] object MatchedLimit {

  /** The scan, or the reason why the LIMIT is not pruned; `None` if it is over none of the tables. */
  def of(limit: LocalLimit): Option[Either[Reason, LimitedScan[Table]]] =
    MatchQuery.of(limit).map(_.map(_.scan)) match {
      // Spark may have put other operators between an Aggregate and the relation since.
      case Some(Left(reason)) if limit.getTagValue(NotPruned.Tag).isEmpty =>
        Some(selectedBelow(limit.child).toRight(reason))
      case other => other
    }

  /** The scan that was pruned for the LIMIT above the plan, whatever is between them. */
  private def selectedBelow(plan: LogicalPlan): Option[LimitedScan[Table]] = plan match {
    case SelectedRelation(relation, index) =>
      Tables.of(relation).flatMap(_.toOption).map { table =>
        LimitedScan(index.chosen.limit, index.chosen.conjuncts, AttributeSet.empty, table)
      }
    case _: LocalLimit => None
    case AboveTable(next) => selectedBelow(next)
    case _ => None
  }
}
