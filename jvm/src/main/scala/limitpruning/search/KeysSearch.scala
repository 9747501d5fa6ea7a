package limitpruning.search

import scala.collection.mutable.ArrayBuffer

import limitpruning.predicate.Work
import limitpruning.select.{ListedFile, Reason, RowRange, SearchCounts, Threshold}

/**
 * Searches for all row groups that may have the first rows, best first. Nothing about them is proved: it is expected that some
 * rows of the best ones match, and sort before all rows of most others.
 *
 * @param limit rows that the LIMIT needs, at least 1
 */
private[search] final class KeysSearch(limit: Int, key: KeyFacts, inputs: WaveInputs)
    extends WaveSearch[FoundTopRows](inputs) {
  import KeysSearch._

  private val matched = ArrayBuffer.empty[Candidate]

  override def seen: Seq[ClassifiedFile] = inspectedFiles

  /** The first wave has files from all parts of the table. */
  override protected def inOrder(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] = {
    val step = math.max(1, files.size / inputs.budget.firstFiles.max(1))
    val (first, later) = files.indices.partition(i => i % step == 0)
    (first ++ later).map(files)
  }

  override protected def missingRows: Long = Long.MaxValue
  override protected def matchingRows(file: ClassifiedFile): Long = 0

  override protected def add(wave: Seq[ClassifiedFile]): Seq[ClassifiedFile] = {
    for (file <- wave; rowGroup <- file.rowGroups.indices if file.mayMatch(rowGroup)) {
      Work.checkInterrupted()
      val rows = file.footer.rowGroups(rowGroup).getRowCount
      if (rows > 0) matched += Candidate(file, rowGroup, key.best(file, rowGroup), RowRange.all(rows))
    }
    wave
  }

  override protected def remaining(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] = files

  override protected def outcome(
      rest: IndexedSeq[ListedFile],
      now: SearchCounts
  ): Option[Either[Reason, FoundTopRows]] = {
    val inAll = matched.size.toLong * now.files / now.filesInspected.max(1)
    if (inAll < limit * LeastRowGroups || !differ || outOfBudget(now, 0, limit).exists(_ => rest.nonEmpty))
      Some(Left(notClustered(now)))
    else if (rest.nonEmpty) None
    else Some(Either.cond(isExpectedToSkip, result, notClustered(now)))
  }

  private def known: Iterator[Any] = matched.iterator.flatMap(_.best)

  /** Whether at least half of the row groups sort after the best one. */
  private def differ: Boolean = known.nonEmpty && {
    val first = known.min(key.order)
    2 * known.count(key.order.gt(_, first)) >= matched.size
  }

  /** Whether half of the row groups sort after the best ones, if some of these have one row each. */
  private def isExpectedToSkip: Boolean = {
    val expected = new Threshold(limit * RowGroupsOfRow, key.order)
    known.foreach(expected.add(_, 1))
    2 * matched.count(candidate => expected.excludes(candidate.best)) >= matched.size
  }

  private def result: FoundTopRows = {
    val (known, unknown) = matched.toVector.partition(_.best.nonEmpty)
    val bestFirst = unknown ++ known.sortBy(_.best.get)(key.order)
    FoundTopRows(
      bestFirst,
      Nil,
      new Threshold(limit.toLong, key.order),
      dropped = 0,
      skipsWhileReading = true
    )
  }

  private def notClustered(seen: SearchCounts): Reason =
    Reason.KeyNotClustered(seen.filesInspected, key.sql, "")
}

private object KeysSearch {

  /** So many row groups are expected to have one row that matches and that sorts nearly as their best one. */
  private val RowGroupsOfRow = 2L

  /** With fewer row groups for each row of the LIMIT, the best ones are more than half of them. */
  private val LeastRowGroups = 2 * RowGroupsOfRow
}
