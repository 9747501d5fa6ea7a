package limitpruning.search

import java.util.IdentityHashMap

import scala.collection.mutable.ArrayBuffer

import limitpruning.footers.{FooterWave, SearchMemory}
import limitpruning.parquet.Footer
import limitpruning.predicate.MatchState
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
 */
final case class FoundTopRows(
    candidates: Seq[Candidate],
    unseen: Seq[ListedFile],
    threshold: Threshold,
    dropped: Int
)

/**
 * Searches for the row groups that may contain the first rows by a key, as long as enough row groups can be skipped.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param narrow reads more about the key in the files of a wave
 * @param mostNoted the largest limit for which row groups are skipped while reading, by the rows that were read
 *   before
 */
final class TopRowsSearch(
    limit: Int,
    key: KeyFacts,
    budget: SearchBudget,
    memory: SearchMemory,
    mostNoted: Int,
    read: Seq[ListedFile] => FooterWave,
    classify: (ListedFile, Footer) => ClassifiedFile,
    narrow: Seq[ClassifiedFile] => Seq[ClassifiedFile] = identity
) extends WaveSearch[FoundTopRows](budget, read, classify, memory) {
  import TopRowsSearch._

  private val threshold = new Threshold(limit.toLong, key.order)
  // The threshold of LIMIT 1 if every row group had a matching row. If it skips little, the data is not clustered by
  // the key.
  private val bestCase = new Threshold(1, key.order)
  private val matched = ArrayBuffer.empty[Candidate]
  // Cached, because each wave needs it again, for up to all files of a table.
  private val bestOfFile = new IdentityHashMap[ListedFile, Option[Any]]

  /** The inspected files, sorted by path. */
  override def seen: Seq[ClassifiedFile] = inspectedFiles.sortBy(_.listed.path)

  /** Unlimited, because every file may have better rows than the files before it. */
  override protected def missingRows: Long = Long.MaxValue
  override protected def matchingRows(file: ClassifiedFile): Long = 0

  private def best(file: ListedFile): Option[Any] = bestOfFile.computeIfAbsent(file, key.best(_))

  override protected def remaining(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] =
    if (threshold.place.isEmpty) files else files.filterNot(file => threshold.excludes(best(file)))

  /**
   * Files with an expected key value come last, best first. Of the other files, the first wave takes some from all
   * parts of the table.
   */
  override protected def inOrder(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] = {
    val (known, unknown) = files.map(file => (file, key.expectedBest(file))).partition(_._2.nonEmpty)
    val step = math.max(1, (unknown.size - 1) / math.max(1, budget.firstFiles - 1))
    val (first, later) = unknown.indices.partition(i => i % step == 0 && i / step < budget.firstFiles)
    (first ++ later).map(unknown(_)._1) ++ known.sortBy(_._2.get)(key.order).map(_._1)
  }

  override protected def add(read: Seq[ClassifiedFile]): Seq[ClassifiedFile] = {
    val wave = narrow(read)
    for (file <- wave; rowGroup <- file.rowGroups.indices if file.mayMatch(rowGroup)) {
      val rows = RowRange.all(file.footer.rowGroups(rowGroup).getRowCount)
      matched += Candidate(file, rowGroup, key.best(file, rowGroup), rows)
      file.rowGroups(rowGroup).obstacle.orElse(key.obstacle(file, rowGroup)).foreach(obstacles.add)
      for ((place, rows) <- key.certain(file, rowGroup)) {
        bestCase.add(place, rows)
        if (file.rowGroups(rowGroup).state == MatchState.FullyMatching) threshold.add(place, rows)
      }
    }
    wave
  }

  override protected def outcome(
      rest: IndexedSeq[ListedFile],
      before: SearchCounts,
      now: SearchCounts
  ): Option[Either[Reason, FoundTopRows]] =
    if (rest.isEmpty || outOfBudget(now, threshold.rows, limit).nonEmpty) Some(result(rest, now))
    else if (!pays(rest, now)) Some(Left(notClustered(now)))
    else None

  private def result(unseen: Seq[ListedFile], seen: SearchCounts): Either[Reason, FoundTopRows] = {
    val (dropped, kept) = matched.toSeq.partition(candidate => threshold.excludes(candidate.best))
    val found = FoundTopRows(bestFirst(kept), unseen, threshold, dropped.size)
    if (threshold.place.nonEmpty || (limit <= mostNoted && pays(unseen, seen))) Right(found)
    else
      Left(Some(unseen).filter(_.nonEmpty).flatMap(_ => outOfBudget(seen, threshold.rows, limit))
        .getOrElse(notClustered(seen)))
  }

  private def bestFirst(kept: Seq[Candidate]): Seq[Candidate] = {
    val (known, unknown) = kept.partition(_.best.nonEmpty)
    unknown ++ known.sortBy(_.best.get)(key.order)
  }

  /** Whether the inspected files show that enough can be skipped, so that inspecting the others pays. */
  private def pays(unseen: Seq[ListedFile], seen: SearchCounts): Boolean = {
    val judge = if (threshold.place.nonEmpty) threshold else bestCase
    val skipped = seen.rowGroups - seen.matched + matched.count(candidate => judge.excludes(candidate.best)) +
      (seen.files - seen.filesInspected - unseen.size) + unseen.count(file => judge.excludes(best(file)))
    LeastSkipped * skipped >= seen.rowGroups
  }

  /** Why nothing can be skipped by the key. */
  def notClustered(seen: SearchCounts): Reason =
    Reason.KeyNotClustered(seen.filesInspected, key.sql, obstacles.summary(seen.rowGroups))
}

private object TopRowsSearch {

  /** The search pays if at least one in this many row groups is skipped. */
  private val LeastSkipped = 8
}
