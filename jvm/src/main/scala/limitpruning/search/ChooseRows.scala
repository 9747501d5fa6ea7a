package limitpruning.search

import limitpruning.parquet.UnreadableFooterException
import limitpruning.scan.InspectWhileReading
import limitpruning.select.{CandidateRows, ChosenRows, ListedFile, ProvedRows, Reason, Selection}

/** Decides what to read for one LIMIT: lists the files, inspects them, selects row groups. */
object ChooseRows {

  /** @return what to read, or the reason why the LIMIT is not pruned */
  def apply(scan: LimitedScan, table: SearchInputs): Either[NotPruned, LimitPlan] = {
    val started = System.nanoTime()
    val files = table.likelyFirst // listed before the time budget for footers starts
    val deadline = table.budget.maxTime.fromNow
    val refine = new RefineRowGroups(
      table.classify,
      table.storage,
      table.narrow,
      table.maxBytes,
      deadline,
      table.prefetch(deadline),
      table.unproved
    )
    val select =
      new AddressRows(table.narrow, table.storage, table.maxBytes, deadline, table.prefetch(deadline))
    val search = new RowGroupSearch(
      scan.limit,
      table.budget,
      table.memory,
      table.footers(_),
      table.classify(_, _),
      refine(_, _),
      refine.expect(_),
      select(_)
    )
    try {
      val (outcome, seen) = search.run(files)
      val counts = seen.copy(footersCached = table.footers.hits)
      val looked = Some(InspectedRowGroups(search.seen, table.classify))
      def nanos: Long = System.nanoTime() - started
      def read(rows: ChosenRows, whileReading: Option[InspectWhileReading] = None) =
        Right(LimitPlan(rows, looked, whileReading = whileReading))
      outcome match {
        case Right(selection) => read(ProvedRows(scan.limit, scan.conjuncts, selection, counts, nanos))
        case Left(reason) =>
          preferred(reason, search.seen, files.drop(search.seen.size), new SelectUncovered(select)) match {
            case Some(selection) =>
              val notCovered = Some(reason)
              val rows =
                CandidateRows(scan.limit, scan.conjuncts, selection, counts, nanos, notCovered = notCovered)
              read(rows, if (selection.unseen.isEmpty) None else table.whileReading)
            case None => Left(NotPruned(reason, Some(scan), Some(counts), nanos, looked))
          }
      }
    } catch {
      case e: UnreadableFooterException =>
        Left(NotPruned(Reason.UnreadableFooter(e.getMessage), Some(scan), None, System.nanoTime() - started))
    }
  }

  /**
   * The selection for a LIMIT that is not covered, if the table turned out to be clustered by the predicate; none if
   * reading the whole table is no worse.
   */
  private def preferred(
      reason: Reason,
      seen: Seq[ClassifiedFile],
      unseen: Seq[ListedFile],
      select: SelectUncovered
  ): Option[Selection] = reason match {
    case _: Reason.NotEnoughRows | _: Reason.OutOfBudget => select(seen, unseen)
    case _ => None
  }
}
