package limitpruning.catalyst

import scala.util.Using

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.footers.FactsCache
import limitpruning.search.{ChooseRows, ChooseTopRows, LimitPlan, LimitedScan, NotPruned, SearchInputs}
import limitpruning.select.Reason

/** Decides what to read for one LIMIT, with or without ORDER BY: matches the plan, lists the table, searches it. */
final class DecideLimit(session: SparkSession, cache: FactsCache, conf: SQLConf) {

  /**
   * @return the LIMIT over the selected rows, or why it is not pruned; `None` if it reads no known table, or if a
   *   selection is already in place
   */
  def apply(limit: LocalLimit): Option[Either[NotPruned, LogicalPlan]] =
    MatchTopRows.of(limit) match {
      case Some(ordered) => decide(limit, ordered)(_.scan)(top => Seq(top.key.child))(ChooseTopRows(_, _))
      case None => MatchLimit.of(limit).flatMap(decide(limit, _)(identity)(_ => Nil)(ChooseRows(_, _)))
    }

  /** @param keys expressions whose facts are needed in addition to those of the predicate */
  private def decide[A](
      local: LocalLimit,
      matched: Either[Reason, A]
  )(scanOf: A => LimitedScan)(keys: A => Seq[Expression])(
      search: (A, SearchInputs) => Either[NotPruned, LimitPlan]
  ): Option[Either[NotPruned, LogicalPlan]] = matched match {
    case Left(Reason.NotPlanned) => None // PruneV2Limits decides
    case Left(reason) => Some(Left(NotPruned(reason)))
    case Right(request) =>
      val scan = scanOf(request)
      if (scan.table.selected.nonEmpty) None
      else {
        Using.resource(new SearchInputs(scan, session, cache, conf, keys(request))) { inputs =>
          Some(search(request, inputs).map(inputs.listing.read(local, _)))
        }
      }
  }
}
