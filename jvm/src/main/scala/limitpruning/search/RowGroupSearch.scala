package limitpruning.search

import scala.annotation.tailrec
import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration.FiniteDuration

import limitpruning.conf.LimitPruningConf.{MaxFiles, MaxTime}
import limitpruning.footers.FooterWave
import limitpruning.parquet.Footer
import limitpruning.predicate.MatchState
import limitpruning.select.{Cover, ListedFile, MatchingRows, SearchCounts, Selection}

/** How far one look at footers may go; see [[limitpruning.conf.LimitPruningConf]]. */
final case class SearchBudget(maxFiles: Int, maxTime: FiniteDuration, firstFiles: Int)

/**
 * Looks for rows that match in waves of files, in reading order, only as long as looking pays: until there are `limit`,
 * or every row of the table is decided, or a wave shows that the data is not clustered by the predicate, or the budget is
 * used up. One search, one instance.
 *
 * @param limit rows wanted, at least 1
 * @param read begins to read the footers of one wave
 * @param classify the state of each row group of a file, from its footer
 * @param refine looks deeper into a file, with how many rows are still missing; asked only where footers do not cover
 * @param select says how the chosen rows are read
 */
final class RowGroupSearch(
    limit: Int,
    budget: SearchBudget,
    read: Seq[ListedFile] => FooterWave,
    classify: (ListedFile, Footer) => ClassifiedFile,
    refine: (ClassifiedFile, Long) => ClassifiedFile,
    select: Seq[(ClassifiedFile, Seq[MatchingRows])] => Either[Declined, Selection]
) {
  import RowGroupSearch._

  private val obstacles = new ObstacleCounts
  private val deadline = budget.maxTime.fromNow
  private val cover = new Cover[ClassifiedFile](limit)
  private val looked = ArrayBuffer.empty[ClassifiedFile]
  private var anyUndecided = false

  /** The files that were looked at, in reading order. */
  def seen: Seq[ClassifiedFile] = looked.toSeq

  /**
   * @return the selection, or why there is none, and what was seen on the way
   * @throws limitpruning.parquet.UnreadableFooterException for a file that a scan had better complain about
   */
  def run(files: IndexedSeq[ListedFile]): (Either[Declined, Selection], SearchCounts) = {
    val start = SearchCounts(files.size, 0, 0, 0, 0, bytes = files.iterator.map(_.status.getLen).sum)
    if (files.isEmpty) (Left(Declined.NoFiles), start) else lookAt(files, budget.firstFiles, start)
  }

  @tailrec
  private def lookAt(
      files: IndexedSeq[ListedFile],
      size: Int,
      seen: SearchCounts
  ): (Either[Declined, Selection], SearchCounts) = {
    val wave = files.slice(seen.filesLookedAt, math.min(seen.filesLookedAt + size, budget.maxFiles))
    val rowsBefore = cover.rows
    val classified = classifiedOf(wave)
    val isEnough = cover.rows >= limit - classified.map(matchingRows).sum
    val now = classified.foldLeft(seen) { (counts, file) =>
      add(counts, if (isEnough || cover.isComplete) file else refine(file, limit - cover.rows))
    }
    if (cover.isComplete || (isWholeTable(now) && !anyUndecided)) (select(cover.chosen), now)
    else
      whyStop(seen, now, foundRows = cover.rows > rowsBefore) match {
        case Some(reason) => (Left(reason), now)
        case None => lookAt(files, math.min(size * WaveGrowth, LargestWave), now)
      }
  }

  /** The files of the wave, up to where there are enough rows, or no time is left. */
  private def classifiedOf(wave: IndexedSeq[ListedFile]): Seq[ClassifiedFile] = {
    val footers = read(wave)
    try {
      var rows = cover.rows
      wave.iterator
        .takeWhile(_ => rows < limit)
        .map(file => footers.next(deadline).map(classify(file, _)))
        .takeWhile(_.nonEmpty)
        .flatten
        .tapEach(file => rows += matchingRows(file))
        .toVector
    } finally footers.close()
  }

  private def matchingRows(file: ClassifiedFile): Long =
    file.matching.iterator.map(_.rows.min(limit.toLong)).sum // so that absurd counts do not overflow

  private def add(counts: SearchCounts, file: ClassifiedFile): SearchCounts = {
    val states = file.rowGroups.map(_.state)
    cover.add(file, file.matching)
    looked += file
    anyUndecided ||= file.rowGroups.exists(!_.isDecided)
    file.rowGroups.flatMap(_.obstacle).foreach(obstacles.add)
    counts.copy(
      filesLookedAt = counts.filesLookedAt + 1,
      rowGroups = counts.rowGroups + states.size,
      matched = counts.matched + states.count(_ != MatchState.NotMatching),
      fullyMatched = counts.fullyMatched + states.count(_ == MatchState.FullyMatching)
    )
  }

  private def whyStop(before: SearchCounts, after: SearchCounts, foundRows: Boolean): Option[Declined] =
    if (isWholeTable(after))
      Some(Declined.NotEnoughRows(cover.rows, limit, obstacles.summary(after.rowGroups)))
    else if (!foundRows && !mostlyNotMatching(before, after))
      Some(Declined.NotClustered(after.filesLookedAt, obstacles.summary(after.rowGroups)))
    else if (after.filesLookedAt >= budget.maxFiles) Some(outOfBudget(MaxFiles.key, budget.maxFiles.toString))
    else if (deadline.isOverdue()) Some(outOfBudget(MaxTime.key, budget.maxTime.toString))
    else None

  private def isWholeTable(seen: SearchCounts): Boolean = seen.filesLookedAt == seen.files

  private def outOfBudget(setting: String, value: String): Declined =
    Declined.OutOfBudget(setting, value, cover.rows, limit)

  /** Whether most row groups of the wave between the two counts are not matching, as in clustered data. */
  private def mostlyNotMatching(before: SearchCounts, after: SearchCounts): Boolean = {
    val rowGroups = after.rowGroups - before.rowGroups
    val notMatching = rowGroups - (after.matched - before.matched)
    2 * notMatching >= rowGroups
  }
}

private object RowGroupSearch {
  private val WaveGrowth = 2

  /** Files in one wave at most. */
  private val LargestWave = 4096
}
