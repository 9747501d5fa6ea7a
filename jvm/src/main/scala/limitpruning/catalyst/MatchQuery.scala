package limitpruning.catalyst

import org.apache.spark.sql.catalyst.plans.logical.LocalLimit

import limitpruning.search.{AnyRowsScan, LimitQuery}
import limitpruning.select.Reason

/** Matches a LIMIT with or without ORDER BY, GROUP BY or DISTINCT over a table. */
object MatchQuery {

  /** What the LIMIT needs, or the reason why it is not pruned; `None` if it is over no known table. */
  def of(limit: LocalLimit): Option[Either[Reason, LimitQuery]] =
    MatchTopRows.of(limit)
      .orElse(MatchGroups.of(limit))
      .orElse(MatchLimit.of(limit).map(_.map(AnyRowsScan(_))))
}
