package limitpruning.search

import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.SortedListings
import limitpruning.scan.FirstRows
import limitpruning.select.{CandidateRows, ListedFile, Reason, SearchCounts, Selection}

/**
 * Decides what to read for a LIMIT without a predicate that an action takes, task by task: the first rows of any file.
 * Lists the files, and reads none of them.
 */
object ChooseFirstRows {

  def apply(scan: LimitedScan, conf: SQLConf, sorted: SortedListings): Either[NotPruned, LimitPlan] = {
    val started = System.nanoTime()
    val files = scan.table.list(Nil, Nil, sorted).files
    if (files.isEmpty) Left(NotPruned(Reason.NoFiles, Some(scan)))
    else {
      val counts = SearchCounts.Zero.copy(files = files.size, bytes = ListedFile.bytes(files))
      // Pages are located by a page index that nobody has tested for the writer of the file.
      val mayReadPages =
        conf.getConf(LimitPruningConf.MaxBytes) > 0 && !conf.getConf(LimitPruningConf.TrustedWritersOnly)
      val minBytes = if (mayReadPages) Some(conf.getConf(LimitPruningConf.MinPageBytes)) else None
      val rows = CandidateRows(
        scan.limit,
        Nil,
        Selection(Nil, unseen = files),
        counts,
        System.nanoTime() - started,
        notCovered = Some(Reason.AtRoot)
      )
      Right(LimitPlan(
        rows,
        scan.table.settings,
        whileReading = Some(FirstRows(scan.limit.toLong, minBytes))
      ))
    }
  }
}
