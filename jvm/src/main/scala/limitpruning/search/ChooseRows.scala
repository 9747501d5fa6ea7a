package limitpruning.search

import limitpruning.scan.InspectWhileReading
import limitpruning.select.{CandidateRows, ChosenRows, ListedFile, ProvedRows, Reason, Selection}

/** Decides what to read for one LIMIT: lists the files, inspects them, selects row groups. */
object ChooseRows {

  /** @return what to read, or the reason why the LIMIT is not pruned */
  def apply(scan: LimitedScan, table: SearchInputs): Either[NotPruned, LimitPlan] = {
    val run = new RunSearch(scan, table)
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
    def read(rows: ChosenRows, whileReading: Option[InspectWhileReading] = None) =
      Right(LimitPlan(rows, scan.table.settings, whileReading = whileReading))
    run(search, files) {
      case (Right(selection), counts) =>
        read(ProvedRows(scan.limit, scan.conjuncts, selection, counts, run.nanos))
      case (Left(reason), counts) =>
        preferred(reason, search.seen, files.drop(search.seen.size), new SelectUncovered(select)) match {
          case Some(selection) =>
            val notCovered = Some(reason)
            val rows =
              CandidateRows(scan.limit, scan.conjuncts, selection, counts, run.nanos, notCovered = notCovered)
            read(rows, if (selection.unseen.isEmpty) None else table.whileReading)
          case None => Left(reason)
        }
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
