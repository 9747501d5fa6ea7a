package limitpruning.search

import scala.annotation.tailrec
import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration.{Deadline, FiniteDuration}

import limitpruning.conf.LimitPruningConf.{MaxFiles, MaxTime}
import limitpruning.footers.FooterWave
import limitpruning.parquet.Footer
import limitpruning.predicate.MatchState
import limitpruning.select.{ListedFile, Reason, SearchCounts}

/**
 * How far one search may go; see [[limitpruning.conf.LimitPruningConf]].
 *
 * @param maxFiles files whose footers are read at most
 * @param maxTime after which no footer is awaited
 * @param firstFiles files of the first wave
 */
final case class SearchBudget(maxFiles: Int, maxTime: FiniteDuration, firstFiles: Int)

/**
 * Reads and classifies the files of a table in growing waves, until a goal is reached or given up: the skeleton of every
 * search. One search, one instance; not thread-safe.
 *
 * @param read begins to read the footers of one wave
 * @param classify the state of each row group of a file, from its footer
 * @tparam R what the goal finds
 */
abstract class WaveSearch[R](
    budget: SearchBudget,
    read: Seq[ListedFile] => FooterWave,
    classify: (ListedFile, Footer) => ClassifiedFile
) {
  import WaveSearch._

  private val deadline: Deadline = budget.maxTime.fromNow
  private val inspected = ArrayBuffer.empty[ClassifiedFile]
  protected val obstacles: ObstacleCounts = new ObstacleCounts

  /** The files that were inspected, in the order of the search. */
  protected def inspectedFiles: Seq[ClassifiedFile] = inspected.toSeq

  /** The files in the order in which they are inspected. */
  protected def inOrder(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile]

  /** Rows that, once the files of a wave hold them, make the other footers of the wave unnecessary. */
  protected def missingRows: Long

  /** Rows of a file that count towards these. */
  protected def matchingRows(file: ClassifiedFile): Long

  /** Takes in the files of a wave, in order. @return them as they are counted, perhaps with more row groups decided */
  protected def add(wave: Seq[ClassifiedFile]): Seq[ClassifiedFile]

  /** Those of the files not yet inspected that are still worth it. */
  protected def remaining(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile]

  /**
   * @param rest the files that are worth inspecting still
   * @param before the counts before the last wave
   * @param now the counts after it
   * @return what was found, or why nothing is, or `None` for the next wave
   */
  protected def outcome(
      rest: IndexedSeq[ListedFile],
      before: SearchCounts,
      now: SearchCounts
  ): Option[Either[Reason, R]]

  /**
   * @return what was found, or why nothing is, and what was counted on the way
   * @throws limitpruning.parquet.UnreadableFooterException for a file whose footer cannot be read
   */
  final def run(files: IndexedSeq[ListedFile]): (Either[Reason, R], SearchCounts) = {
    val start = SearchCounts(files.size, 0, 0, 0, 0, bytes = files.iterator.map(_.status.getLen).sum)
    if (files.isEmpty) (Left(Reason.NoFiles), start) else search(inOrder(files), budget.firstFiles, start)
  }

  @tailrec
  private def search(
      files: IndexedSeq[ListedFile],
      size: Int,
      before: SearchCounts
  ): (Either[Reason, R], SearchCounts) = {
    val wave = classified(files.take(math.min(size, budget.maxFiles - before.filesInspected)))
    val now = add(wave).foldLeft(before)(count)
    val rest = remaining(files.drop(wave.size))
    outcome(rest, before, now) match {
      case Some(result) => (result, now)
      case None => search(rest, math.min(size * WaveGrowth, LargestWave), now)
    }
  }

  /** The files of the wave, up to where they are enough, or no time is left. */
  private def classified(wave: IndexedSeq[ListedFile]): Seq[ClassifiedFile] = {
    val footers = read(wave)
    try {
      var missing = missingRows
      wave.iterator
        .takeWhile(_ => missing > 0)
        .map(file => footers.next(deadline).map(classify(file, _)))
        .takeWhile(_.nonEmpty)
        .flatten
        .tapEach(file => missing -= matchingRows(file))
        .toVector
    } finally footers.close()
  }

  private def count(counts: SearchCounts, file: ClassifiedFile): SearchCounts = {
    val states = file.rowGroups.map(_.state)
    inspected += file
    counts.copy(
      filesInspected = counts.filesInspected + 1,
      rowGroups = counts.rowGroups + states.size,
      matched = counts.matched + states.count(_ != MatchState.NotMatching),
      fullyMatched = counts.fullyMatched + states.count(_ == MatchState.FullyMatching)
    )
  }

  /**
   * @param found rows that were found, or are certain
   * @return the limit of the budget that was reached, if one was
   */
  protected def outOfBudget(now: SearchCounts, found: Long, limit: Int): Option[Reason] =
    if (now.filesInspected >= budget.maxFiles)
      Some(Reason.OutOfBudget(MaxFiles.key, budget.maxFiles.toString, found, limit))
    else if (deadline.isOverdue())
      Some(Reason.OutOfBudget(MaxTime.key, budget.maxTime.toString, found, limit))
    else None
}

private object WaveSearch {
  private val WaveGrowth = 2

  /** Files in one wave at most, after which the goal decides again whether to go on. */
  private val LargestWave = 4096
}
