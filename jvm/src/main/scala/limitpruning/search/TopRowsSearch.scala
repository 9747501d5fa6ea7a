package limitpruning.search

import scala.annotation.tailrec
import scala.collection.mutable.ArrayBuffer

import limitpruning.conf.LimitPruningConf.{MaxFiles, MaxTime}
import limitpruning.footers.FooterWave
import limitpruning.parquet.Footer
import limitpruning.predicate.MatchState
import limitpruning.select.{ListedFile, RowBound, RowRange, SearchCounts}

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
 * Looks for the row groups in which the first rows by a key may be, in waves of files, only as long as looking pays. One
 * search, one instance.
 *
 * @param limit rows wanted, at least 1
 * @param mostNoted the largest limit for which row groups are left out while reading, by the rows that were read before
 * @param read begins to read the footers of one wave
 * @param classify the state of each row group of a file, from its footer
 */
final class TopRowsSearch(
    limit: Int,
    key: KeyFacts,
    budget: SearchBudget,
    mostNoted: Int,
    read: Seq[ListedFile] => FooterWave,
    classify: (ListedFile, Footer) => ClassifiedFile
) {
  import TopRowsSearch._

  private val deadline = budget.maxTime.fromNow
  private val obstacles = new ObstacleCounts
  private val bound = new RowBound(limit.toLong, key.order)
  // What would be left out if one row were wanted, and every row group had one that matches: where that is little, the
  // data is not clustered by the key.
  private val bestCase = new RowBound(1, key.order)
  private val matched = ArrayBuffer.empty[Candidate]
  private val looked = ArrayBuffer.empty[ClassifiedFile]

  /** The files that were looked at, by their paths. */
  def seen: Seq[ClassifiedFile] = looked.sortBy(_.listed.status.getPath.toString).toSeq

  /**
   * @return what was found, or why nothing can be left out, and what was seen on the way
   * @throws limitpruning.parquet.UnreadableFooterException for a file that a scan had better complain about
   */
  def run(files: IndexedSeq[ListedFile]): (Either[Declined, FoundTopRows], SearchCounts) = {
    val start = SearchCounts(files.size, 0, 0, 0, 0, bytes = files.iterator.map(_.status.getLen).sum)
    val unseen = files.map(file => Unseen(file, key.best(file)))
    if (files.isEmpty) (Left(Declined.NoFiles), start) else lookAt(inOrder(unseen), budget.firstFiles, start)
  }

  /** @param rest files that are still to be looked at, those of which the best place is known last and in order */
  @tailrec
  private def lookAt(
      rest: IndexedSeq[Unseen],
      size: Int,
      seen: SearchCounts
  ): (Either[Declined, FoundTopRows], SearchCounts) = {
    val wave = rest.take(math.min(size, budget.maxFiles - seen.filesLookedAt))
    val classified = classifiedOf(wave.map(_.file))
    val now = classified.foldLeft(seen)(add)
    val unseen = rest.drop(classified.size).filterNot(file => bound.excludes(file.best))
    if (unseen.isEmpty || isOver(now)) (result(unseen, now), now)
    else if (!pays(unseen, now)) (Left(notClustered(now)), now)
    else lookAt(unseen, math.min(size * WaveGrowth, LargestWave), now)
  }

  /** The files of the wave, up to where no time is left. */
  private def classifiedOf(wave: IndexedSeq[ListedFile]): Seq[ClassifiedFile] = {
    val footers = read(wave)
    try wave.iterator.map(file => footers.next(deadline).map(classify(file, _))).takeWhile(_.nonEmpty).flatten
        .toVector
    finally footers.close()
  }

  /** Files of known places last, the best ahead; of the others the first wave has some from everywhere. */
  private def inOrder(files: IndexedSeq[Unseen]): IndexedSeq[Unseen] = {
    val (known, unknown) = files.partition(_.best.nonEmpty)
    val step = math.max(1, (unknown.size - 1) / math.max(1, budget.firstFiles - 1))
    val (first, later) = unknown.indices.partition(i => i % step == 0 && i / step < budget.firstFiles)
    (first ++ later).map(unknown(_)) ++ known.sortBy(_.best.get)(key.order)
  }

  private def add(counts: SearchCounts, file: ClassifiedFile): SearchCounts = {
    val states = file.rowGroups.map(_.state)
    looked += file
    for (rowGroup <- states.indices if states(rowGroup) != MatchState.NotMatching) {
      val rows = RowRange.all(file.footer.rowGroups(rowGroup).getRowCount)
      matched += Candidate(file, rowGroup, key.best(file, rowGroup), rows)
      file.rowGroups(rowGroup).obstacle.orElse(key.obstacle(file, rowGroup)).foreach(obstacles.add)
      for ((place, rows) <- key.certain(file, rowGroup)) {
        bestCase.add(place, rows)
        if (states(rowGroup) == MatchState.FullyMatching) bound.add(place, rows)
      }
    }
    counts.copy(
      filesLookedAt = counts.filesLookedAt + 1,
      rowGroups = counts.rowGroups + states.size,
      matched = counts.matched + states.count(_ != MatchState.NotMatching),
      fullyMatched = counts.fullyMatched + states.count(_ == MatchState.FullyMatching)
    )
  }

  private def result(unseen: Seq[Unseen], seen: SearchCounts): Either[Declined, FoundTopRows] = {
    val (dropped, kept) = matched.toSeq.partition(candidate => bound.excludes(candidate.best))
    val found = FoundTopRows(bestFirst(kept), unseen.map(_.file), bound, dropped.size)
    if (bound.place.nonEmpty || (limit <= mostNoted && pays(unseen, seen))) Right(found)
    else if (unseen.nonEmpty) Left(outOfBudget(seen))
    else Left(notClustered(seen))
  }

  private def bestFirst(kept: Seq[Candidate]): Seq[Candidate] = {
    val (known, unknown) = kept.partition(_.best.nonEmpty)
    unknown ++ known.sortBy(_.best.get)(key.order)
  }

  /** Whether the files looked at show that much can be left out, so that the others are worth looking at. */
  private def pays(unseen: Seq[Unseen], seen: SearchCounts): Boolean = {
    val judge = if (bound.place.nonEmpty) bound else bestCase
    val leftOut = seen.rowGroups - seen.matched + matched.count(candidate => judge.excludes(candidate.best)) +
      (seen.files - seen.filesLookedAt - unseen.size) + unseen.count(file => judge.excludes(file.best))
    LeastLeftOut * leftOut >= seen.rowGroups
  }

  private def isOver(seen: SearchCounts): Boolean =
    seen.filesLookedAt >= budget.maxFiles || deadline.isOverdue()

  /** Why nothing can be left out by the key. */
  def notClustered(seen: SearchCounts): Declined =
    Declined.KeyNotClustered(seen.filesLookedAt, key.sql, obstacles.summary(seen.rowGroups))

  private def outOfBudget(seen: SearchCounts): Declined =
    if (seen.filesLookedAt >= budget.maxFiles)
      Declined.OutOfBudget(MaxFiles.key, budget.maxFiles.toString, bound.rows, limit)
    else Declined.OutOfBudget(MaxTime.key, budget.maxTime.toString, bound.rows, limit)
}

private object TopRowsSearch {

  /** A file whose footer has not been read, with the best place that is known of it without, if any. */
  private final case class Unseen(file: ListedFile, best: Option[Any])

  private val WaveGrowth = 2

  /** Files in one wave at most, after which it is asked again whether looking pays. */
  private val LargestWave = 4096

  /** One in so many row groups must be left out for looking to pay. */
  private val LeastLeftOut = 8
}
