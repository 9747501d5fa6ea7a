package limitpruning.report

import org.apache.spark.sql.catalyst.plans.logical.LocalLimit
import org.apache.spark.sql.connector.read.Scan

import limitpruning.catalyst.{ChooseFilesWhenRunExec, MatchGroups, MatchLimit, MatchTopRows}
import limitpruning.report.DescribeDecision.{notPruned, orderOf, predicate}
import limitpruning.search.ChosenFiles
import limitpruning.select.Reason
import limitpruning.tables.{Iceberg, UndecidedScan}

/** Describes a LIMIT for which whole files were chosen. */
private[report] object DescribeFiles {

  /** The maximum number of files that are named. */
  private val MostNamed = 100

  /**
   * @param nodes the nodes of the physical plan that choose files when the query runs
   * @param most the maximum number of row groups that are described
   * @param isReadAsIs whether a scan is in the physical plan without such a node
   * @return the report; `None` if no files were chosen for the LIMIT, or are to be chosen
   */
  def apply(limit: LocalLimit, nodes: => Seq[ChooseFilesWhenRunExec], most: Int)(
      isReadAsIs: Scan => Boolean
  ): Option[LimitReport] = {
    def undecided = found(limit)(Iceberg.undecided(_).map(Right(_)))
    found(limit)(Iceberg.chosen).map(describe(_, most))
      .orElse(undecided.map(scan => whenRun(limit, scan, nodes, most)(isReadAsIs)))
  }

  private def found[A](limit: LocalLimit)(in: MatchLimit.Find[A]): Option[A] = {
    def over(limit: LocalLimit) = MatchLimit.over[A](limit)(in)
    MatchTopRows.over(limit, throughJoins = true)(over).map(_.map(_.scan))
      .orElse(MatchGroups.scanBelow(limit)(over)).orElse(over(limit)).flatMap(_.toOption).map(_.table)
  }

  /** A LIMIT whose files are chosen when the query runs. Of the nodes that choose, one that has run is described. */
  private def whenRun(
      limit: LocalLimit,
      scan: UndecidedScan,
      nodes: Seq[ChooseFilesWhenRunExec],
      most: Int
  )(isReadAsIs: Scan => Boolean): LimitReport = {
    val wanted = scan.wanted
    val own = nodes.filter(_.choose.exists(_.wanted eq wanted))
    val run = own.flatMap(node => node.choice.map(node -> _)).headOption
    def notChosen(reason: Reason) = notPruned(limit, wanted.table.name, wanted.rows.conjuncts, reason)
    run match {
      case Some((node, Right(chosen))) =>
        val report = describe(chosen.files, most)
        report.copy(
          order = report.order.orElse(orderOf(limit)),
          rowsVerified = chosen.files.verified.map(_.rows),
          bytesReadFirst = chosen.files.verified.flatMap(_ => node.bytesReadFirst)
        )
      case Some((_, Left(reason))) => notChosen(reason)
      // A plan with neither has not come to run: Spark removes a scan if another part of the query has no rows.
      case None if own.isEmpty && isReadAsIs(scan.original) => notChosen(Reason.FiltersChanged)
      case None => notChosen(Reason.DecidedByRows(wanted.searched.left.toOption))
    }
  }

  private def describe(chosen: ChosenFiles, most: Int): LimitReport =
    describe(chosen).copy(map = map(chosen, most))

  private def map(chosen: ChosenFiles, most: Int): RowGroupMap =
    if (most == 0) RowGroupMap.Empty
    else {
      val describe = new DescribeParts(chosen.columns, Some(chosen))
      RowGroupMap(chosen.inspected.take(most).map(describe(_)), math.max(0, chosen.inspected.size - most))
    }

  private def describe(chosen: ChosenFiles): LimitReport = LimitReport(
    table = chosen.table,
    limit = Some(chosen.limit),
    order = chosen.order.map(order =>
      OrderReport(order.key, Some(order.threshold), Some(order.rowsCertain), None)
    ),
    predicate = predicate(chosen.conjuncts),
    reason = None,
    rowGroups = Some(chosen.counts).filter(_.rowGroups > 0).map { counts =>
      RowGroupCounts(counts.rowGroups, counts.matched, counts.fullyMatched, chosen.rowGroups)
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
    rowsToRead = Some(chosen.rows),
    rowsSkipped = Some(chosen.skipped)
  )
}
