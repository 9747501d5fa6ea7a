package limitpruning.search

import java.util.IdentityHashMap

import scala.collection.mutable.ArrayBuffer

import limitpruning.footers.FooterWave
import limitpruning.parquet.Footer
import limitpruning.predicate.MatchState
import limitpruning.select.{ListedFile, Reason, RowBound, RowRange, SearchCounts}

/**
 * A row group whose rows may be among the first.
 *
 * @param best the best place that one of them may have, none where any is possible
 * @param ranges those of its rows that may be
 */
final case class Candidate(file: ClassifiedFile, rowGroup: Int, best: Option[Any], ranges: Seq[RowRange])

/**
 * What a search for the first rows found.
 *
 * @param kept row groups that the bound leaves, the best first
 * @param unseen files that were not looked at, though they may have such row groups
 * @param bound the place that enough rows are certain to reach, if there is one
 * @param dropped row groups that may match, but are behind the bound
 */
final case class FoundTopRows(kept: Seq[Candidate], unseen: Seq[ListedFile], bound: RowBound, dropped: Int)

/**
 * Searches for the row groups in which the first rows by a key may be, only as long as it pays.
 *
 * @param limit rows wanted, at least 1
 * @param mostNoted the largest limit for which row groups are skipped while reading, by the rows that were read before
 */
final class TopRowsSearch(
    limit: Int,
    key: KeyFacts,
    budget: SearchBudget,
    mostNoted: Int,
    read: Seq[ListedFile] => FooterWave,
    classify: (ListedFile, Footer) => ClassifiedFile
) extends WaveSearch[FoundTopRows](budget, read, classify) {
  import TopRowsSearch._

  private val bound = new RowBound(limit.toLong, key.order)
  // What would be skipped if one row were wanted, and every row group had one that matches: where that is little, the
  // data is not clustered by the key.
  private val bestCase = new RowBound(1, key.order)
  private val matched = ArrayBuffer.empty[Candidate]
  // Asked for again after each wave, of up to all files of a table.
  private val bestOfFile = new IdentityHashMap[ListedFile, Option[Any]]

  /** The files that were inspected, by their paths. */
  def seen: Seq[ClassifiedFile] = inspectedFiles.sortBy(_.listed.path)

  /** Every file may have better rows than those before it. */
  override protected def missingRows: Long = Long.MaxValue
  override protected def matchingRows(file: ClassifiedFile): Long = 0

  private def best(file: ListedFile): Option[Any] = bestOfFile.computeIfAbsent(file, key.best(_))

  override protected def remaining(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] =
    if (bound.place.isEmpty) files else files.filterNot(file => bound.excludes(best(file)))

  /** Files with an expected place last, the best first; of the others the first wave has some from everywhere. */
  override protected def inOrder(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] = {
    val (known, unknown) = files.map(file => (file, key.expectedBest(file))).partition(_._2.nonEmpty)
    val step = math.max(1, (unknown.size - 1) / math.max(1, budget.firstFiles - 1))
    val (first, later) = unknown.indices.partition(i => i % step == 0 && i / step < budget.firstFiles)
    (first ++ later).map(unknown(_)._1) ++ known.sortBy(_._2.get)(key.order).map(_._1)
  }

  override protected def add(wave: Seq[ClassifiedFile]): Seq[ClassifiedFile] = {
    for (file <- wave; rowGroup <- file.rowGroups.indices if mayMatch(file, rowGroup)) {
      val rows = RowRange.all(file.footer.rowGroups(rowGroup).getRowCount)
      matched += Candidate(file, rowGroup, key.best(file, rowGroup), rows)
      file.rowGroups(rowGroup).obstacle.orElse(key.obstacle(file, rowGroup)).foreach(obstacles.add)
      for ((place, rows) <- key.certain(file, rowGroup)) {
        bestCase.add(place, rows)
        if (file.rowGroups(rowGroup).state == MatchState.FullyMatching) bound.add(place, rows)
      }
    }
    wave
  }

  private def mayMatch(file: ClassifiedFile, rowGroup: Int): Boolean =
    file.rowGroups(rowGroup).state != MatchState.NotMatching

  override protected def outcome(
      rest: IndexedSeq[ListedFile],
      before: SearchCounts,
      now: SearchCounts
  ): Option[Either[Reason, FoundTopRows]] =
    if (rest.isEmpty || outOfBudget(now, bound.rows, limit).nonEmpty) Some(result(rest, now))
    else if (!pays(rest, now)) Some(Left(notClustered(now)))
    else None

  private def result(unseen: Seq[ListedFile], seen: SearchCounts): Either[Reason, FoundTopRows] = {
    val (dropped, kept) = matched.toSeq.partition(candidate => bound.excludes(candidate.best))
    val found = FoundTopRows(bestFirst(kept), unseen, bound, dropped.size)
    if (bound.place.nonEmpty || (limit <= mostNoted && pays(unseen, seen))) Right(found)
    else
      Left(Some(unseen).filter(_.nonEmpty).flatMap(_ => outOfBudget(seen, bound.rows, limit))
        .getOrElse(notClustered(seen)))
  }

  private def bestFirst(kept: Seq[Candidate]): Seq[Candidate] = {
    val (known, unknown) = kept.partition(_.best.nonEmpty)
    unknown ++ known.sortBy(_.best.get)(key.order)
  }

  /** Whether the files looked at show that much can be skipped, so that the others are worth looking at. */
  private def pays(unseen: Seq[ListedFile], seen: SearchCounts): Boolean = {
    val judge = if (bound.place.nonEmpty) bound else bestCase
    val skipped = seen.rowGroups - seen.matched + matched.count(candidate => judge.excludes(candidate.best)) +
      (seen.files - seen.filesInspected - unseen.size) + unseen.count(file => judge.excludes(best(file)))
    LeastSkipped * skipped >= seen.rowGroups
  }

  /** Why nothing can be skipped by the key. */
  def notClustered(seen: SearchCounts): Reason =
    Reason.KeyNotClustered(seen.filesInspected, key.sql, obstacles.summary(seen.rowGroups))
}

private object TopRowsSearch {

  /** One in so many row groups must be skipped for looking to pay. */
  private val LeastSkipped = 8
}
