package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{GetStructField, SortOrder}

import limitpruning.predicate.FirstKey
import limitpruning.scan.NoteTopKeysExec
import limitpruning.select.{CandidateRows, SearchCounts, Selection, TopRows}

/** Decides what to read for one ORDER BY … LIMIT: lists the files, inspects them, selects row groups. */
object ChooseTopRows {

  /** Whether the scan reads less than the whole table: by the selection, or by skipping row groups while it reads. */
  private def leavesOut(found: FoundTopRows, selection: Selection, counts: SearchCounts): Boolean =
    found.skipsWhileReading || selection.rowGroups < counts.rowGroups || selection.rowsCut > 0 ||
      found.unseen.size < counts.files - counts.filesInspected

  /**
   * The sort key whose values are noted while reading; none for fields of structs. Spark may later read other fields of
   * a struct, so the ordinals of its fields may change.
   */
  private def notedSortKey(top: TopRowsScan, selection: Selection): Option[SortOrder] =
    Some(top.sorted).filter(key => selection.rowGroups > 1 && !key.exists(_.isInstanceOf[GetStructField]))

  /** @return what to read, or the reason why the LIMIT is not pruned */
  def apply(top: TopRowsScan, table: SearchInputs): Either[NotPruned, LimitPlan] =
    chosen(top, table, isOfKeys = false)

  /**
   * The row groups that may have the first rows, best first, for jobs that read the sort keys and the columns of the predicate
   * alone.
   *
   * @return the reason if these jobs are not expected to skip row groups
   */
  def ofKeys(top: TopRowsScan, table: SearchInputs): Either[NotPruned, LimitPlan] =
    chosen(top, table, isOfKeys = true)

  private def chosen(
      top: TopRowsScan,
      table: SearchInputs,
      isOfKeys: Boolean
  ): Either[NotPruned, LimitPlan] = {
    val scan = top.scan
    val run = new RunSearch(scan, table)
    val files = table.files // listed before the time budget for footers starts
    val key = new KeyFacts(top.key, scan.conjuncts, table.classify)
    // Even if partition values alone decide the predicate, they do not decide the key.
    val budget = table.budget.copy(firstFiles = table.firstFiles)
    val deadline = budget.maxTime.fromNow
    val dictionaries = table.keyDictionaries(key, deadline)
    val search = new TopRowsSearch(
      scan.limit,
      key,
      top.isOnlyKey && !isOfKeys, // jobs return the first positions of the rows with the last key
      budget,
      table.memory,
      NoteTopKeysExec.MostKeys,
      table.footers(_),
      table.classify(_, _),
      if (isOfKeys) identity else dictionaries,
      isOfKeys
    )
    def refine =
      new RefineTopRows(
        scan.limit,
        key,
        table.classify,
        table.storage,
        table.narrow,
        dictionaries.bytesLeft,
        deadline,
        table.prefetch(deadline)
      )
    val select =
      new AddressBestFirst(
        table.address(deadline)
      )
    run(search, files) { (outcome, counts) =>
      for {
        found <- if (isOfKeys) outcome else outcome.map(refine(_))
        selection <- select(found)
        _ <- if (leavesOut(found, selection, counts)) Right(()) else Left(search.notClustered(counts))
      } yield {
        // A better one is found while reading.
        val place = found.threshold.place.filterNot(place => found.skipsWhileReading && KeyFacts.isNaN(place))
        val threshold = place.map(key.show)
        val why = TopRows(key.sql, FirstKey.of(top.key), threshold, found.threshold.rows, found.dropped)
        val rows = CandidateRows(scan.limit, scan.conjuncts, selection, counts, run.nanos, Some(why))
        LimitPlan(rows, scan.table.settings, notedSortKey = notedSortKey(top, selection))
      }
    }
  }
}
