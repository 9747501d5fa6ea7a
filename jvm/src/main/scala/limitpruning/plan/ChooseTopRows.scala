package limitpruning.plan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{GetStructField, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit
import org.apache.spark.sql.internal.SQLConf

import limitpruning.{LimitPruningConf, SparkSessions}
import limitpruning.parquet.{FactsCache, Storage, UnreadableFooterException}
import limitpruning.predicate.FirstKey
import limitpruning.scan.{NoteTopKeysExec, ReadRowRanges}
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
      case Right(top) if !top.scan.relation.location.isInstanceOf[SelectedFileIndex] => look(top, session, cache, conf)
    }

  /** Whether less is to be read than of the whole table, now or while reading. */
  private def leavesOut(found: FoundTopRows, selection: Selection, counts: SearchCounts): Boolean =
    found.bound.place.isEmpty || selection.rowGroups < counts.rowGroups || selection.rowsCut > 0 ||
      found.unseen.size < counts.files - counts.filesLookedAt

  /** Of structs, Spark may read other fields than it seems now, in other places. */
  private def noteKeys(top: TopRowsScan, selection: Selection): Option[SortOrder] =
    Some(top.sorted).filter(key => selection.rowGroups > 1 && !key.exists(_.isInstanceOf[GetStructField]))

  private def look(
      top: TopRowsScan,
      session: SparkSession,
      cache: FactsCache,
      conf: SQLConf
  ): Either[Refusal, (LimitedScan, SelectedFileIndex)] = {
    val started = System.nanoTime()
    val scan = top.scan
    val settings = CoverLimit.readSettings(scan, conf)
    val partitions = scan.relation.partitionSchema
    val classify =
      new ClassifyRowGroups(scan.conjuncts, scan.logical.output, partitions, settings, alsoAsked = Seq(top.key.child))
    val key = new KeyFacts(top.key, scan.conjuncts, classify)
    val storage = Storage(SparkSessions.hadoopConf(session, scan.relation.options), cache)
    val footers = CoverLimit.footersOf(scan, CoverLimit.columns(scan, settings), session, storage, conf)
    val budget =
      CoverLimit.budget(scan, conf).copy(firstFiles = conf.getConf(LimitPruningConf.FirstFiles))
    val search =
      new TopRowsSearch(scan.limit, key, budget, NoteTopKeysExec.MostKeys, footers(_), classify(_, _))
    val maxBytes = conf.getConf(LimitPruningConf.MaxBytes)
    val narrow = new NarrowRowGroups(
      CoverLimit.isNeeded(scan, settings),
      isSupported = maxBytes > 0 && ReadRowRanges.isSupported,
      conf.getConf(LimitPruningConf.MinPageBytes)
    )
    val refine = new RefineTopRows(scan.limit, key, classify, storage, narrow, maxBytes)
    val select = new SelectCandidates(new SelectRows(narrow, storage, maxBytes))
    try {
      val (outcome, seen) = search.run(CoverLimit.list(scan, conf))
      val counts = seen.copy(footersKept = footers.hits)
      val selected = for {
        found <- outcome
        refined = refine(found)
        selection <- select(refined)
        _ <- if (leavesOut(refined, selection, counts)) Right(()) else Left(search.notClustered(counts))
      } yield (refined, selection)
      val nanos = System.nanoTime() - started
      selected.fold(
        reason => Left(Refusal(reason, Some(scan), Some(counts), nanos)),
        { case (found, selection) =>
          val bound = found.bound.place.map(key.show)
          val why = TopRows(key.sql, FirstKey.of(top.key), bound, found.bound.rows, found.dropped)
          val rows = CandidateRows(scan.limit, scan.conjuncts, selection, counts, nanos, Some(why))
          Right((scan, new SelectedFileIndex(scan.relation.location, rows, noteKeys(top, selection))))
        }
      )
    } catch {
      case e: UnreadableFooterException =>
        Left(Refusal(Declined.UnreadableFooter(e.getMessage), Some(scan), None, System.nanoTime() - started))
    }
  }
}
