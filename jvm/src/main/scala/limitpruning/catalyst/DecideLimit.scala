package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit
import org.apache.spark.sql.internal.SQLConf

import limitpruning.footers.FactsCache
import limitpruning.search.{ChooseTopRows, CoverLimit, LimitPlan, LimitedScan, LookAtTable, NotPruned}
import limitpruning.select.Reason

/** Decides what to read for one LIMIT, with ORDER BY or without: match the plan, list the table, search. */
final class DecideLimit(session: SparkSession, cache: FactsCache, conf: SQLConf) {

  /** @return the index to read through, or why the LIMIT is not pruned; `None` where the LIMIT does not concern Parquet */
  def apply(limit: LocalLimit): Option[Either[NotPruned, (LimitedScan, SelectedFileIndex)]] =
    MatchTopRows.of(limit) match {
      case Some(ordered) => decide(ordered)(_.scan)(top => Seq(top.key.child))(ChooseTopRows(_, _))
      case None => MatchLimit.of(limit).flatMap(decide(_)(identity)(_ => Nil)(CoverLimit(_, _)))
    }

  /** @param keys what is asked of row groups beside the predicate */
  private def decide[A](matched: Either[Reason, A])(scanOf: A => LimitedScan)(keys: A => Seq[Expression])(
      search: (A, LookAtTable) => Either[NotPruned, LimitPlan]
  ): Option[Either[NotPruned, (LimitedScan, SelectedFileIndex)]] = matched match {
    case Left(reason) => Some(Left(NotPruned(reason)))
    case Right(request) =>
      val scan = scanOf(request)
      if (scan.relation.location.isInstanceOf[SelectedFileIndex]) None
      else {
        val table = new LookAtTable(scan, session, cache, conf, keys(request))
        Some(search(request, table).map(plan => (scan, indexOf(plan, table))))
      }
  }

  private def indexOf(plan: LimitPlan, table: LookAtTable): SelectedFileIndex =
    new SelectedFileIndex(
      table.index,
      plan.rows,
      table.settings,
      plan.seen,
      plan.noteKeys,
      plan.look
    )
}
