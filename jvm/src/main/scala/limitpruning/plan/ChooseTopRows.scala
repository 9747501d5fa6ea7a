package limitpruning.plan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit
import org.apache.spark.sql.internal.SQLConf

import limitpruning.parquet.{FactsCache, UnreadableFooterException}
import limitpruning.select._

/** Decides for one ORDER BY … LIMIT what to read: extract, list, look, select. */
object ChooseTopRows {

  /** @return the index to read through, or the refusal; `None` where no ORDER BY over Parquet is below the LIMIT */
  def decide(
      limit: LocalLimit,
      session: SparkSession,
      cache: FactsCache,
      conf: SQLConf
  ): Option[Either[Refusal, (LimitedScan, SelectedFileIndex)]] =
    TopRowsScan.of(limit).collect {
      case Left(reason) => Left(Refusal(reason))
      case Right(top) if !top.scan.relation.location.isInstanceOf[SelectedFileIndex] =>
        look(top, new LookAtTable(top.scan, session, cache, conf, alsoAsked = Seq(top.key.child)))
    }

  private def look(
      top: TopRowsScan,
      table: LookAtTable
  ): Either[Refusal, (LimitedScan, SelectedFileIndex)] = {
    val started = System.nanoTime()
    val scan = top.scan
    val key = new KeyFacts(top.key, scan.conjuncts, table.classify)
    val search = new TopRowsSearch(scan.limit, key, table.budget, table.footers(_), table.classify(_, _))
    val select = new SelectCandidates(new SelectRows(table.narrow, table.storage, table.maxBytes))
    try {
      val (outcome, seen) = search.run(table.files)
      val counts = seen.copy(footersKept = table.footers.hits)
      val selected = outcome.flatMap(found => select(found).map(found -> _))
      val nanos = System.nanoTime() - started
      selected.fold(
        reason => Left(Refusal(reason, Some(scan), Some(counts), nanos)),
        { case (found, selection) =>
          val why = TopRows(key.sql, found.bound.place.fold("")(key.show), found.bound.rows, found.dropped)
          val rows = CandidateRows(scan.limit, scan.conjuncts, selection, counts, nanos, Some(why))
          Right((scan, new SelectedFileIndex(scan.relation.location, rows)))
        }
      )
    } catch {
      case e: UnreadableFooterException =>
        Left(Refusal(Declined.UnreadableFooter(e.getMessage), Some(scan), None, System.nanoTime() - started))
    }
  }
}
