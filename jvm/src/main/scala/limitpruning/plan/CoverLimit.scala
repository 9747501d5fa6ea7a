package limitpruning.plan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit
import org.apache.spark.sql.internal.SQLConf

import limitpruning.parquet.{FactsCache, UnreadableFooterException}
import limitpruning.select.ProvedCover

/** Decides for one LIMIT what to read: extract, list, look, select. */
object CoverLimit {

  /** @return the index to read through, or the refusal; `None` where the LIMIT does not concern Parquet */
  def decide(
      limit: LocalLimit,
      session: SparkSession,
      cache: FactsCache,
      conf: SQLConf
  ): Option[Either[Refusal, (LimitedScan, SelectedFileIndex)]] =
    LimitedScan.of(limit).collect {
      case Left(reason) => Left(Refusal(reason))
      case Right(scan) if !scan.relation.location.isInstanceOf[SelectedFileIndex] =>
        look(scan, new LookAtTable(scan, session, cache, conf))
    }

  private def look(
      scan: LimitedScan,
      table: LookAtTable
  ): Either[Refusal, (LimitedScan, SelectedFileIndex)] = {
    val started = System.nanoTime()
    val refine = new RefineRowGroups(
      table.classify,
      table.storage,
      table.narrow,
      table.maxBytes,
      table.budget.maxTime.fromNow
    )
    val select = new SelectRows(table.narrow, table.storage, table.maxBytes)
    val search = new RowGroupSearch(
      scan.limit,
      table.budget,
      table.footers(_),
      table.classify(_, _),
      refine(_, _),
      select(_)
    )
    try {
      val (outcome, seen) = search.run(table.files)
      val counts = seen.copy(footersKept = table.footers.hits)
      val nanos = System.nanoTime() - started
      outcome.fold(
        reason => Left(Refusal(reason, Some(scan), Some(counts), nanos)),
        selection => {
          val cover = ProvedCover(scan.limit, scan.conjuncts, selection, counts, nanos)
          Right((scan, new SelectedFileIndex(scan.relation.location, cover)))
        }
      )
    } catch {
      case e: UnreadableFooterException =>
        Left(Refusal(Declined.UnreadableFooter(e.getMessage), Some(scan), None, System.nanoTime() - started))
    }
  }
}
