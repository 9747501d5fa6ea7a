package limitpruning.report

import org.apache.spark.sql.catalyst.plans.logical.LocalLimit

import limitpruning.catalyst.{MatchLimit, MatchTopRows}
import limitpruning.predicate.BriefSql
import limitpruning.search.ChosenFiles
import limitpruning.select.Reason
import limitpruning.tables.Iceberg

/** Describes a LIMIT for which whole files were chosen. */
private[report] object DescribeFiles {

  /** The maximum number of files that are named. */
  private val MostNamed = 100

  /**
   * @param most the maximum number of row groups that are described
   * @return the report; `None` if no files were chosen for the LIMIT
   */
  def apply(limit: LocalLimit, most: Int): Option[LimitReport] =
    MatchTopRows.over(limit)(over).map(_.map(_.scan)).orElse(over(limit))
      .flatMap(_.toOption).map(found => describe(found.table).copy(map = map(found.table, most)))

  private def map(chosen: ChosenFiles, most: Int): RowGroupMap =
    if (most == 0) RowGroupMap.Empty
    else {
      val describe = new DescribeParts(chosen.columns, Some(chosen))
      RowGroupMap(chosen.inspected.take(most).map(describe(_)), math.max(0, chosen.inspected.size - most))
    }

  private def over(limit: LocalLimit): Option[Either[Reason, MatchLimit.Limited[ChosenFiles]]] =
    MatchLimit.over[ChosenFiles](limit)(Iceberg.chosen)

  /** The first sort key of a LIMIT over an Iceberg table that is not pruned. */
  def orderOf(limit: LocalLimit): Option[OrderReport] =
    MatchTopRows.over(limit)(MatchLimit.over[Unit](_)(Iceberg.relation)).flatMap(_.toOption)
      .map(top => OrderReport(top.key.sql, None, None, None))

  private def describe(chosen: ChosenFiles): LimitReport = LimitReport(
    table = chosen.table,
    limit = Some(chosen.limit),
    order = chosen.order.map(order =>
      OrderReport(order.key, Some(order.threshold), Some(order.rowsCertain), None)
    ),
    predicate = if (chosen.conjuncts.isEmpty) None else Some(BriefSql.and(chosen.conjuncts)),
    reason = None,
    rowGroups = Some(chosen.counts.rowGroups).filter(_.total > 0).map { counts =>
      RowGroupCounts(counts.total, counts.matched, counts.fullyMatched, chosen.rowGroups)
    },
    files = Some(FileCounts(
      total = chosen.counts.files,
      lookedAt = chosen.counts.filesInspected,
      footersCached = 0,
      scanned = Some(chosen.files.size),
      bytes = chosen.counts.bytes,
      chosen = chosen.files.take(MostNamed).map(_.file.path)
    )),
    planningMs = Some(chosen.planningNanos / 1e6),
    rowsToRead = Some(chosen.rows)
  )
}
