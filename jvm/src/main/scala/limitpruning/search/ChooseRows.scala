package limitpruning.search

import limitpruning.predicate.MatchState
import limitpruning.select.{
  ChosenRows, ListedFile, MatchingRows, Reason, RowRange, SearchCounts, SelectedFile, Selection,
  SkippedRows
}

/** Decides what to read for one LIMIT: lists the files, inspects them, selects row groups. */
object ChooseRows {

  /** @return what to read, or the reason why the LIMIT is not pruned */
  def apply(scan: LimitedScan[Table], table: SearchInputs): Either[NotPruned, LimitPlan] = {
    val run = new RunSearch(scan, table)
    val files = table.likelyFirst // listed before the time budget for footers starts
    val deadline = table.budget.maxTime.fromNow
    val refine = table.refine(deadline)
    val select = table.address(deadline)
    val tolerates = scan.table.toleratesBadFiles
    val search = new RowGroupSearch(
      scan.limit,
      table.waves(),
      refine(_, _),
      refine.expect(_),
      select(_),
      skipsUnreadable = tolerates.nonEmpty,
      offset = if (tolerates.isEmpty) scan.offset else 0,
      dropsRows = table.dropsRows,
      mayBeInFirstTask = file => table.firstTask.exists(_.triesAll(file))
    )
    def read(
        selection: Selection,
        counts: SearchCounts,
        allRowsMatch: Boolean = false,
        skipped: SkippedRows = SkippedRows.Zero,
        notCovered: Option[Reason] = None
    ) = {
      val rows = ChosenRows(
        scan.limit,
        scan.conjuncts,
        selection,
        counts,
        run.nanos,
        allRowsMatch,
        notCovered = notCovered,
        skipped = skipped
      )
      LimitPlan(rows, scan.table.settings)
    }
    def chosen(selection: Selection, counts: SearchCounts): Either[Reason, LimitPlan] = tolerates match {
      case Some(reason) =>
        // The plan keeps its filter: rows of the reserve may not match.
        new SelectWithReserve(scan.limit, table, select, reason)(selection, search.seen, files)
          .map(read(_, counts))
      case None => Right(read(selection, counts, allRowsMatch = true, skipped = search.skipped))
    }
    run(search, files) {
      case (Right(selection), counts) => chosen(selection, counts)
      case (Left(reason), _) if tolerates.nonEmpty => Left(reason)
      case (Left(reason), counts) =>
        preferred(
          reason,
          search.seen,
          files.drop(search.seen.size),
          new SelectUncovered(select, table.firstTask)
        ) match {
          case Some(selection) => Right(read(selection, counts, notCovered = Some(reason)))
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
    case _: Reason.NotEnoughRows | _: Reason.WriterNotListed | _: Reason.OutOfBudget => select(seen, unseen)
    case _ => None
  }
}

/**
 * Selects row groups for a LIMIT that is not covered, if the inspected files show that this helps. Not matching row
 * groups are skipped. Fully matching ones come first, then likely ones, so that Spark's incremental `take` reads them in its
 * first job. Those in which no row is likely to match come last.
 *
 * @param firstTask the first task of plain Spark, if it may find enough rows and skips row groups
 */
private[limitpruning] final class SelectUncovered(select: AddressRows, firstTask: Option[FirstTask]) {
  private val possible = new SelectPossible(select)

  /**
   * @param seen the inspected files, in reading order
   * @param unseen the other files, which are read completely
   * @return none if the scan would read the same row groups in the same order as without the extension
   */
  def apply(seen: Seq[ClassifiedFile], unseen: Seq[ListedFile]): Option[Selection] = {
    val (skipped, read) = seen.flatMap(_.rowGroups).partition(_.state == MatchState.NotMatching)
    val ranks = read.map(rank)
    // How plain Spark reads files that were not inspected is not compared.
    def skipsNoMore = skipped.isEmpty ||
      (unseen.isEmpty && firstTask.exists(task => seen.forall(task.readsNoMore)))
    val isAsBefore = ranks == ranks.sorted && skipsNoMore
    if (isAsBefore) None
    else {
      val (chosen, whole) = possible(seen)
      val inOrder = ranks.distinct.sorted.flatMap { wanted =>
        chosen.flatMap { case (file, rowGroups) => only(file, rowGroups, wanted) }
      }
      Some(Selection(inOrder, whole ++ unseen))
    }
  }

  /** The position of a row group in the order of reading. */
  private def rank(rowGroup: ClassifiedRowGroup): Int =
    if (rowGroup.state == MatchState.FullyMatching) 0
    else if (rowGroup.isLikely) 1
    else if (!rowGroup.isUnlikely) 2
    else 3

  private def only(file: ClassifiedFile, chosen: SelectedFile, wanted: Int): Option[SelectedFile] =
    Some(chosen.copy(rowGroups =
      chosen.rowGroups.filter(rowGroup => rank(file.rowGroups(rowGroup.ordinal)) == wanted)
    )).filter(_.rowGroups.nonEmpty)
}

/** Selects all row groups of files in which rows may match. */
private[search] final class SelectPossible(select: AddressRows) {

  /** @return the files with such row groups, and the files whose row groups cannot be read separately */
  def apply(files: Seq[ClassifiedFile]): (Seq[(ClassifiedFile, SelectedFile)], Seq[ListedFile]) = {
    val selected = files.map(file => file -> rowGroups(file))
    (
      selected.collect { case (file, Some(chosen)) => chosen.map(file -> _) }.flatten,
      selected.collect { case (file, None) => file.listed }
    )
  }

  /** None if they cannot be read without others. */
  private def rowGroups(file: ClassifiedFile): Option[Seq[SelectedFile]] = {
    val rows = file.rowGroups.indices.filter(file.mayMatch).map { i =>
      val rows = file.footer.rowGroups(i).getRowCount
      MatchingRows(i, RowRange.all(rows), isWhole = true, reliesOnPages = false)
    }
    if (rows.isEmpty) Some(Nil) else select(Seq(file -> rows)).toOption.map(_.files)
  }
}
