package limitpruning.catalyst

import scala.util.Using

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WindowGroupLimit}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.FactsCache
import limitpruning.rows.{GroupsPay, RowsPay}
import limitpruning.search.{
  AnyRowsScan, AnyValueScan, GroupsScan, LikelyRowGroups, LimitPlan, LimitQuery, LimitedScan,
  MinMaxScan, NotPruned, SearchInputs, SizesOfColumns, Table, TopRowsScan
}
import limitpruning.tables.{FileSourceTable, WantedRows}

/** Decides whether the rows of a LIMIT are found by reading columns when the query runs, because metadata do not cover it. */
private[catalyst] final class DecideByRows(session: SparkSession, cache: FactsCache, conf: SQLConf) {

  private def minBytes: Long = conf.getConf(LimitPruningConf.RowsMinBytes)

  /**
   * @param found the result of the search of metadata
   * @return changes a plan so that the rows of the scan are chosen when the query runs; none if this does not pay
   */
  def apply(
      query: LimitQuery,
      inputs: SearchInputs,
      found: Either[NotPruned, LimitPlan],
      isRoot: Boolean
  ): Option[LogicalPlan => LogicalPlan] = whenRun(query.scan) {
    val scan = query.scan
    val ofCopies = query match {
      case top: TopRowsScan if top.isJoined => Some(scan.needed)
      case _ => None
    }
    // Spark's row-based reader returns whole row groups. A copy with fewer columns may have the vectorized one, which returns only the
    // chosen rows.
    def haveSameRows = ofCopies.isEmpty || inputs.dropsRows
    val wanted =
      WantedRows(scan.limit, scan.conjuncts, query.sortKeys, Some(found), ofCopies = ofCopies)
    query match {
      case _: AnyRowsScan | _: TopRowsScan =>
        def pays = RowsPay(scan, query.sortKeys.toSeq.flatMap(_.all), inputs, found, minBytes)
        (if (haveSameRows) pays else None).map(saved =>
          wanted.copy(
            saved = saved.bytes,
            isRoot = isRoot,
            inFirstTask = isRoot && saved.inFirstTask && conf.getConf(LimitPruningConf.RowsInFirstTask),
            likely = if (query.sortKeys.isEmpty) LikelyRowGroups.of(found) else LikelyRowGroups.none
          )
        )
      case groups: GroupsScan =>
        GroupsPay(groups, inputs, found, minBytes).map(saved =>
          wanted.copy(
            saved = saved.bytes,
            likely = LikelyRowGroups.of(found),
            groups = groups.keys,
            sample = saved.sample
          )
        )
      // Reading the keys first saves nothing: the query reads little else.
      case _: MinMaxScan => None
      // Spark may copy it, and a search for the rows of each copy may find others.
      case _: AnyValueScan => None
    }
  }

  /**
   * The first rows of each group. Metadata are not searched for them: only the sizes of columns are read.
   *
   * @return the window over a relation whose rows are chosen when the query runs; none if this does not pay, or is not possible
   */
  def apply(window: WindowGroupLimit): Option[LogicalPlan] = for {
    first <- MatchWindow.of(window).flatMap(_.toOption)
    scan = first.top.scan
    if !DecideLimit.isDecided(scan) && !scan.waitsForSubqueries
    choose <- whenRun(scan) {
      Using.resource(new SearchInputs(scan, session, cache, conf, first.groups)) { inputs =>
        lazy val sizes = SizesOfColumns(scan, inputs)
        GroupsPay.first(first, inputs, Left(sizes), minBytes).map(saved =>
          WantedRows(
            scan.limit,
            scan.conjuncts,
            Some(first.top.order),
            Some(Left(sizes)),
            saved,
            groups = first.groups
          )
        )
      }
    }
  } yield choose(window)

  private def whenRun(scan: LimitedScan[Table])(rows: => Option[WantedRows])
      : Option[LogicalPlan => LogicalPlan] =
    for {
      table <- Some(scan.table).collect {
        case table: FileSourceTable if table.canReadFirst && table.toleratesBadFiles.isEmpty => table
      }
      if NativeEngines.reasonForChild(session).isEmpty
      wanted <- rows
      if wanted.keys.forall(DecideLimit.hasStableColumns)
    } yield table.decideWhenRun(_, wanted)
}
