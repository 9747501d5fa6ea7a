package limitpruning.search

import java.util.IdentityHashMap

import scala.collection.mutable.ArrayBuffer

import limitpruning.predicate.{MatchState, Work}
import limitpruning.select.{ListedFile, Reason, RowRange, SearchCounts, Threshold}

/**
 * A row group whose rows may be among the first rows.
 *
 * @param best the best key value that one of its rows may have; none if any value is possible
 * @param ranges the rows that may be among the first rows
 */
final case class Candidate(file: ClassifiedFile, rowGroup: Int, best: Option[Any], ranges: Seq[RowRange])

/**
 * The result of a search for the first rows.
 *
 * @param candidates row groups that the threshold does not skip, best first
 * @param unseen files that were not inspected, although they may have such row groups
 * @param threshold the key value that enough rows are certain to reach, if there is one
 * @param dropped number of row groups that may match, but sort after the threshold
 * @param skipsWhileReading whether rows that are read are expected to give a threshold that skips others
 */
final case class FoundTopRows(
    candidates: Seq[Candidate],
    unseen: Seq[ListedFile],
    threshold: Threshold,
    dropped: Int,
    skipsWhileReading: Boolean
)

/**
 * Searches for the row groups that may contain the first rows by a key, as long as enough row groups can be skipped.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param isOnlyKey whether rows with the same key may be in any order. Then no more of the row groups that begin at the
 *   threshold are read than those that are certain to have enough rows.
 * @param narrow reads more about the key in the files of a wave
 * @param mostNoted the largest limit for which row groups are skipped while reading, by the rows that were read
 *   before
 */
final class TopRowsSearch(
    limit: Int,
    key: KeyFacts,
    isOnlyKey: Boolean,
    inputs: WaveInputs,
    mostNoted: Int,
    narrow: Seq[ClassifiedFile] => Seq[ClassifiedFile] = identity
) extends WaveSearch[FoundTopRows](inputs) {
  import TopRowsSearch._

  private val threshold = new Threshold(limit.toLong, key.order)
  // The threshold of LIMIT 1 if every row group had a matching row, with any of its values. If it skips little, the data is
  // not clustered by the key.
  private val bestCase = new Threshold(1, key.order)
  private val matched = ArrayBuffer.empty[Candidate]
  // Of fully matching row groups, by position in `matched`.
  private val certain = ArrayBuffer.empty[CertainRows]
  // Cached, because each wave needs it again, for up to all files of a table.
  private val bestOfFile = new IdentityHashMap[ListedFile, Option[Any]]

  /** The inspected files, sorted by path. */
  override def seen: Seq[ClassifiedFile] = inspectedFiles.sortBy(_.listed.path)

  /** Unlimited, because every file may have better rows than the files before it. */
  override protected def missingRows: Long = Long.MaxValue
  override protected def matchingRows(file: ClassifiedFile): Long = 0

  private def best(file: ListedFile): Option[Any] = bestOfFile.computeIfAbsent(file, key.best(_))

  override protected def remaining(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] =
    if (threshold.place.isEmpty) files else files.filterNot(file => isSkipped(best(file)))

  /** Whether no row is needed, given its best key value, if the row groups in `needed` are read. */
  private def isSkipped(best: Option[Any]): Boolean =
    if (isOnlyKey) threshold.isReachedBy(best) else threshold.excludes(best)

  /**
   * Files with an expected key value come last, best first. Of the other files, the first wave takes some from all
   * parts of the table.
   */
  override protected def inOrder(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] = {
    val firstFiles = inputs.budget.firstFiles
    val (known, unknown) = files.map(file => (file, key.expectedBest(file))).partition(_._2.nonEmpty)
    val step = math.max(1, (unknown.size - 1) / math.max(1, firstFiles - 1))
    val (first, later) = unknown.indices.partition(i => i % step == 0 && i / step < firstFiles)
    (first ++ later).map(unknown(_)._1) ++ known.sortBy(_._2.get)(key.order).map(_._1)
  }

  override protected def add(read: Seq[ClassifiedFile]): Seq[ClassifiedFile] = {
    val wave = narrow(read)
    for (file <- wave; rowGroup <- file.rowGroups.indices if file.mayMatch(rowGroup)) {
      Work.checkInterrupted()
      val rows = RowRange.all(file.footer.rowGroups(rowGroup).getRowCount)
      matched += Candidate(file, rowGroup, key.best(file, rowGroup), rows)
      file.rowGroups(rowGroup).obstacle.orElse(key.obstacle(file, rowGroup)).foreach(obstacles.add)
      for ((place, rows) <- key.ofAnyRows(file, rowGroup))
        bestCase.add(key.ifNeverNaN(place, file, rowGroup), rows)
      if (file.rowGroups(rowGroup).state == MatchState.FullyMatching)
        for ((place, rows) <- key.certain(file, rowGroup)) {
          threshold.add(place, rows)
          certain += CertainRows(matched.size - 1, place, rows)
        }
    }
    wave
  }

  override protected def outcome(
      rest: IndexedSeq[ListedFile],
      now: SearchCounts
  ): Option[Either[Reason, FoundTopRows]] =
    if (rest.isEmpty || outOfBudget(now, threshold.rows, limit).nonEmpty) Some(result(rest, now))
    else if (!pays(rest, now) || isUnproved(now)) Some(Left(notClustered(now)))
    else None

  /** Whether the predicate may hold in most row groups, and is proved in none, so that no threshold is expected. */
  private def isUnproved(seen: SearchCounts): Boolean =
    limit > mostNoted && certain.isEmpty && 2 * matched.size >= seen.rowGroups && matched.nonEmpty

  private def result(unseen: Seq[ListedFile], seen: SearchCounts): Either[Reason, FoundTopRows] = {
    val needed = positionsNeeded
    val (kept, dropped) = matched.indices.partition(i => needed(i) || !isSkipped(matched(i).best))
    val skipsWhileReading = !isBounded && limit <= mostNoted && pays(unseen, seen)
    val found = FoundTopRows(bestFirst(kept.map(matched)), unseen, threshold, dropped.size, skipsWhileReading)
    if (threshold.place.nonEmpty || skipsWhileReading) Right(found)
    else
      Left(Some(unseen).filter(_.nonEmpty).flatMap(_ => outOfBudget(seen, threshold.rows, limit))
        .getOrElse(notClustered(seen)))
  }

  /**
   * The row groups that are certain to have enough rows at the threshold or before it. Row groups that are read anyway come
   * first.
   */
  private def positionsNeeded: Set[Int] = threshold.place.fold(Set.empty[Int]) { place =>
    val (others, read) = certain.filter(rows => key.order.lteq(rows.place, place))
      .partition(rows => isSkipped(matched(rows.position).best))
    val counted = (read ++ others).toSeq
    val before =
      counted.scanLeft(0L)((sum, more) => math.min(limit.toLong, sum + math.min(limit.toLong, more.rows)))
    counted.zip(before).collect { case (rows, sum) if sum < limit => rows.position }.toSet
  }

  private def bestFirst(kept: Seq[Candidate]): Seq[Candidate] = {
    val (known, unknown) = kept.partition(_.best.nonEmpty)
    unknown ++ known.sortBy(_.best.get)(key.order)
  }

  /** Whether the threshold is below NaN, which sorts after all other values: the facts about floats have no better one. */
  private def isBounded: Boolean = threshold.place.exists(place => !KeyFacts.isNaN(place))

  /** Whether the inspected files show that enough can be skipped, so that inspecting the others pays. */
  private def pays(unseen: Seq[ListedFile], seen: SearchCounts): Boolean = {
    val judge: Option[Any] => Boolean = if (isBounded) isSkipped else bestCase.excludes
    val skipped = seen.rowGroups - seen.matched + matched.count(candidate => judge(candidate.best)) +
      (seen.files - seen.filesInspected - unseen.size) + unseen.count(file => judge(best(file)))
    LeastSkipped * skipped >= seen.rowGroups
  }

  /** Why nothing can be skipped by the key. */
  def notClustered(seen: SearchCounts): Reason =
    Reason.KeyNotClustered(seen.filesInspected, key.sql, obstacles.summary(seen.rowGroups))
}

private object TopRowsSearch {

  /** The search pays if at least one in this many row groups is skipped. */
  private val LeastSkipped = 8

  /**
   * Rows that are certain to be in the result, unless better ones are.
   *
   * @param position of their row group
   * @param place the key value that they certainly reach
   */
  private final case class CertainRows(position: Int, place: Any, rows: Long)
}
