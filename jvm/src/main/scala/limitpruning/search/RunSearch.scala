package limitpruning.search

import limitpruning.parquet.UnreadableFooterException
import limitpruning.select.{ListedFile, Reason, SearchCounts}

/** Runs one search: measures its time, counts what it inspected, and ends it if a footer cannot be read. */
private final class RunSearch(scan: LimitedScan, table: SearchInputs) {
  private val started = System.nanoTime()

  /** Nanoseconds since this object was created. */
  def nanos: Long = System.nanoTime() - started

  /**
   * @param choose decides what to read, or why the LIMIT is not pruned, given the result of the search and its counts
   * @return what to read, or the reason why the LIMIT is not pruned
   */
  def apply[R](search: WaveSearch[R], files: IndexedSeq[ListedFile])(
      choose: (Either[Reason, R], SearchCounts) => Either[Reason, LimitPlan]
  ): Either[NotPruned, LimitPlan] =
    try {
      val (outcome, seen) = search.run(files)
      val counts =
        seen.copy(footersCached = table.footers.hits, filesPrunedByLog = table.listing.prunedByLog)
      val inspected = Some(InspectedRowGroups(search.seen, table.classify))
      choose(outcome, counts) match {
        case Right(plan) => Right(plan.copy(inspected = inspected))
        case Left(reason) => Left(NotPruned(reason, Some(scan), Some(counts), nanos, inspected))
      }
    } catch {
      case e: UnreadableFooterException =>
        Left(NotPruned(Reason.UnreadableFooter(e.getMessage), Some(scan), None, nanos))
    }
}
