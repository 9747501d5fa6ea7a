package limitpruning.search

import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.FactsCache
import limitpruning.select.{ChosenRows, ListedFile, Reason, SearchCounts, Selection, WhileReading}

/**
 * Decides what to read for a LIMIT that an action takes, task by task: the first rows of any file, or the first that match.
 * Lists the files, and reads none of them.
 */
object ChooseFirstRows {

  /** For a LIMIT without a predicate. */
  def apply(scan: LimitedScan[Table], conf: SQLConf, cache: FactsCache): Either[NotPruned, LimitPlan] =
    ofAnyFile(scan, conf, cache, Reason.AtRoot, SearchCounts.Zero)

  /**
   * For a LIMIT with a predicate.
   *
   * @param decision what the search of metadata found
   */
  def matching(
      scan: LimitedScan[Table],
      conf: SQLConf,
      cache: FactsCache,
      decision: NotPruned
  ): Either[NotPruned, LimitPlan] =
    ofAnyFile(scan, conf, cache, decision.reason, decision.counts.getOrElse(SearchCounts.Zero))
      .map(_.copy(inspected = decision.inspected))

  private def ofAnyFile(
      scan: LimitedScan[Table],
      conf: SQLConf,
      cache: FactsCache,
      reason: Reason,
      counts: SearchCounts
  ): Either[NotPruned, LimitPlan] = {
    val started = System.nanoTime()
    val files = scan.table.list(scan.conjuncts, Nil, cache).files
    if (files.isEmpty) Left(NotPruned(Reason.NoFiles, Some(scan)))
    else {
      val rows = ChosenRows(
        scan.limit,
        scan.conjuncts,
        Selection(Nil, unseen = files),
        counts.copy(files = files.size, bytes = ListedFile.bytes(files)),
        System.nanoTime() - started,
        allRowsMatch = false,
        notCovered = Some(reason)
      )
      Right(LimitPlan(rows, scan.table.settings, whileReading = Some(WhileReading(minPageBytes(conf)))))
    }
  }

  /** None if pages are never read: a page index locates them that nobody has tested for the writer of the file. */
  private[search] def minPageBytes(conf: SQLConf): Option[Long] =
    if (conf.getConf(LimitPruningConf.MaxBytes) > 0 && !conf.getConf(LimitPruningConf.TrustedWritersOnly))
      Some(conf.getConf(LimitPruningConf.MinPageBytes))
    else None
}
