package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{GetStructField, SortOrder}

import limitpruning.parquet.UnreadableFooterException
import limitpruning.predicate.FirstKey
import limitpruning.scan.NoteTopKeysExec
import limitpruning.select.{CandidateRows, Reason, SearchCounts, Selection, TopRows}

/** Decides for one ORDER BY … LIMIT what to read: list, look, select. */
object ChooseTopRows {

  /** Whether less is to be read than of the whole table, now or while reading. */
  private def leavesOut(found: FoundTopRows, selection: Selection, counts: SearchCounts): Boolean =
    found.bound.place.isEmpty || selection.rowGroups < counts.rowGroups || selection.rowsCut > 0 ||
      found.unseen.size < counts.files - counts.filesInspected

  /** Of structs, Spark may read other fields than it seems now, in other places. */
  private def notedSortKey(top: TopRowsScan, selection: Selection): Option[SortOrder] =
    Some(top.sorted).filter(key => selection.rowGroups > 1 && !key.exists(_.isInstanceOf[GetStructField]))

  /** @return what to read, or why the LIMIT is not pruned */
  def apply(top: TopRowsScan, table: SearchInputs): Either[NotPruned, LimitPlan] = {
    val started = System.nanoTime()
    val scan = top.scan
    val files = table.files // listed before the time for footers begins
    val key = new KeyFacts(top.key, scan.conjuncts, table.classify)
    // Where the predicate is decided by directories alone, the key is not.
    val budget = table.budget.copy(firstFiles = table.firstFiles)
    val search = new TopRowsSearch(
      scan.limit,
      key,
      budget,
      NoteTopKeysExec.MostKeys,
      table.footers(_),
      table.classify(_, _)
    )
    val refine =
      new RefineTopRows(scan.limit, key, table.classify, table.storage, table.narrow, table.maxBytes)
    val select = new AddressBestFirst(new AddressRows(table.narrow, table.storage, table.maxBytes))
    try {
      val (outcome, seen) = search.run(files)
      val counts = seen.copy(footersCached = table.footers.hits)
      val selected = for {
        found <- outcome
        refined = refine(found)
        selection <- select(refined)
        _ <- if (leavesOut(refined, selection, counts)) Right(()) else Left(search.notClustered(counts))
      } yield (refined, selection)
      val looked = Some(InspectedRowGroups(search.seen, table.classify))
      val nanos = System.nanoTime() - started
      selected.fold(
        reason => Left(NotPruned(reason, Some(scan), Some(counts), nanos, looked)),
        { case (found, selection) =>
          val bound = found.bound.place.map(key.show)
          val why = TopRows(key.sql, FirstKey.of(top.key), bound, found.bound.rows, found.dropped)
          val rows = CandidateRows(scan.limit, scan.conjuncts, selection, counts, nanos, Some(why))
          Right(LimitPlan(rows, looked, notedSortKey(top, selection)))
        }
      )
    } catch {
      case e: UnreadableFooterException =>
        Left(NotPruned(Reason.UnreadableFooter(e.getMessage), Some(scan), None, System.nanoTime() - started))
    }
  }
}
