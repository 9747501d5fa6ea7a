package limitpruning.search

import scala.annotation.tailrec
import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration.{Deadline, FiniteDuration}

import limitpruning.conf.LimitPruningConf.{MaxFiles, MaxMemory, MaxTime}
import limitpruning.parquet.{Footer, UnreadableFooterException}
import limitpruning.predicate.Work
import limitpruning.select.{ListedFile, Reason, SearchCounts}

/**
 * The budget of one search; see [[limitpruning.conf.LimitPruningConf]].
 *
 * @param maxFiles maximum number of files whose footers are read
 * @param maxTime maximum time to wait for footers
 * @param firstFiles number of files in the first wave
 * @param maxMemory maximum bytes of footers that all searches of the application hold
 */
final case class SearchBudget(
    maxFiles: Int,
    maxTime: FiniteDuration,
    firstFiles: Int,
    maxMemory: Long = Long.MaxValue
)

/**
 * Reads and classifies the files of a table in growing waves, until the search has a result or stops without one. The
 * base class of all searches. One instance per search; not thread-safe.
 *
 * @param skipsUnreadable whether the search goes on without a file whose footer cannot be read, or fails
 * @tparam R the result of the search
 */
abstract class WaveSearch[R](inputs: WaveInputs, skipsUnreadable: Boolean = false) {
  import WaveSearch._
  import inputs.{budget, classify, memory, read}

  private val deadline: Deadline = budget.maxTime.fromNow
  private val inspected = ArrayBuffer.empty[ClassifiedFile]
  protected val obstacles: ObstacleCounts = new ObstacleCounts

  /** The inspected files. */
  def seen: Seq[ClassifiedFile]

  /** The inspected files, in the order of the search. */
  protected def inspectedFiles: Seq[ClassifiedFile] = inspected.toSeq

  /** The files in the order of inspection. */
  protected def inOrder(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile]

  /**
   * Number of rows that are missing. Once the files of a wave contain as many, the other footers of the wave are not
   * needed.
   */
  protected def missingRows: Long

  /** Number of rows of a file that count towards the missing rows. */
  protected def matchingRows(file: ClassifiedFile): Long

  /**
   * Number of undecided row groups after which a wave ends.
   *
   * @param size number of files in the wave
   */
  protected def mostUndecided(size: Int): Long = Long.MaxValue

  /**
   * Adds the files of a wave, in order.
   *
   * @return the files for the counts, possibly with more row groups decided
   */
  protected def add(wave: Seq[ClassifiedFile]): Seq[ClassifiedFile]

  /**
   * The files that are still worth inspecting.
   *
   * @param files the files that have not been inspected
   */
  protected def remaining(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile]

  /**
   * @param rest the files that are still worth inspecting
   * @param now the counts after the last wave
   * @return the result, or the reason why there is none, or `None` to continue with the next wave
   */
  protected def outcome(rest: IndexedSeq[ListedFile], now: SearchCounts): Option[Either[Reason, R]]

  /**
   * @return the result, or the reason why there is none, and the counts of the search
   * @throws limitpruning.parquet.UnreadableFooterException if the footer of a file cannot be read
   */
  final def run(files: IndexedSeq[ListedFile]): (Either[Reason, R], SearchCounts) = {
    val start = SearchCounts(files.size, 0, 0, 0, 0, bytes = ListedFile.bytes(files))
    if (files.isEmpty) (Left(Reason.NoFiles), start) else search(inOrder(files), budget.firstFiles, start)
  }

  @tailrec
  private def search(
      files: IndexedSeq[ListedFile],
      size: Int,
      before: SearchCounts
  ): (Either[Reason, R], SearchCounts) = {
    val wave =
      classified(files.take(Seq(size, budget.maxFiles - before.filesInspected, memory.moreFooters).min), size)
    val now = add(wave.flatten).foldLeft(before)(count)
    val rest = remaining(files.drop(wave.size))
    outcome(rest, now) match {
      case Some(result) => (result, now)
      case None => search(rest, math.min(size.toLong * WaveGrowth, LargestWave).toInt, now)
    }
  }

  /**
   * The files of the wave, until they contain enough rows or too many undecided row groups, or no time is left. None for
   * a file that is skipped.
   *
   * @param size the size of the wave, if as many files are left
   */
  private def classified(wave: IndexedSeq[ListedFile], size: Int): Seq[Option[ClassifiedFile]] = {
    val footers = read(wave)
    try {
      var missing = missingRows
      var undecidedLeft = mostUndecided(size)
      wave.iterator
        .takeWhile(_ => missing > 0 && undecidedLeft > 0)
        .map { file =>
          Work.checkInterrupted()
          try footers.next(deadline).map(footer => Some(classified(file, footer)))
          catch { case _: UnreadableFooterException if skipsUnreadable => Some(None) }
        }
        .takeWhile(_.nonEmpty)
        .flatten
        .map { read =>
          read.foreach { file =>
            missing -= matchingRows(file)
            undecidedLeft -= file.undecided
          }
          read
        }
        .toVector
    } finally footers.close()
  }

  private def classified(file: ListedFile, footer: Footer): ClassifiedFile = {
    memory.add(footer.size.toLong)
    classify(file, footer)
  }

  private def count(counts: SearchCounts, file: ClassifiedFile): SearchCounts = {
    val rowGroups = file.rowGroups.size
    inspected += file
    counts.copy(
      filesInspected = counts.filesInspected + 1,
      rowGroups = counts.rowGroups + rowGroups,
      matched = counts.matched + rowGroups - file.notMatching,
      fullyMatched = counts.fullyMatched + file.fullyMatching
    )
  }

  /** What is searched for, in the plural: for reasons. */
  protected def what: String = "rows"

  /**
   * @param found number of rows that were found, or are certain
   * @return the reason if a limit of the budget was reached; none otherwise
   */
  protected def outOfBudget(now: SearchCounts, found: Long, limit: Int): Option[Reason] =
    if (now.filesInspected >= budget.maxFiles)
      Some(Reason.OutOfBudget(MaxFiles.key, budget.maxFiles.toString, found, limit, what))
    else if (deadline.isOverdue())
      Some(Reason.OutOfBudget(MaxTime.key, budget.maxTime.toString, found, limit, what))
    else outOfMemory(found, limit)

  /** The reason if another footer does not fit into memory; none otherwise. */
  protected def outOfMemory(found: Long, limit: Int): Option[Reason] =
    if (memory.isUsedUp)
      Some(Reason.OutOfBudget(MaxMemory.key, s"${budget.maxMemory} bytes", found, limit, what))
    else None
}

private object WaveSearch {
  private val WaveGrowth = 2

  /** Maximum number of files in one wave. After each wave, the search decides whether to continue. */
  private val LargestWave = 4096L
}
