package limitpruning.search

import java.lang.management.ManagementFactory

import limitpruning.parquet.UnreadableFooterException
import limitpruning.select.{ListedFile, Reason, SearchCounts}

/** Runs one search: measures its time, counts what it inspected, and ends it if a footer cannot be read. */
private[search] final class RunSearch(scan: LimitedScan[Table], table: SearchInputs) {
  private val started = System.nanoTime()
  private val allocatedBefore = RunSearch.allocated

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
        seen.copy(
          footersCached = table.footers.hits,
          filesPrunedByLog = table.listing.prunedByLog,
          work = table.classify.work.counts.copy(
            footers = seen.filesInspected.toLong - table.footers.hits,
            opened = table.storage.opened,
            allocated = RunSearch.allocated - allocatedBefore
          )
        )
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

private object RunSearch {

  /** None if this Java does not count. Looked up once, because that takes as long as a small search. */
  private lazy val counted: Option[com.sun.management.ThreadMXBean] =
    try
      ManagementFactory.getThreadMXBean match {
        case threads: com.sun.management.ThreadMXBean if threads.isThreadAllocatedMemorySupported =>
          Some(threads)
        case _ => None
      }
    catch { case _: UnsupportedOperationException | _: SecurityException | _: LinkageError => None }

  /** Bytes that this thread has allocated; 0 if this Java does not say. */
  private def allocated: Long =
    try counted.filter(_.isThreadAllocatedMemoryEnabled).fold(0L)(
        _.getThreadAllocatedBytes(Thread.currentThread.getId)
      )
    catch { case _: UnsupportedOperationException | _: SecurityException | _: LinkageError => 0L }
}
