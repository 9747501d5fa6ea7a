package limitpruning.search

import limitpruning.footers.FooterWave
import limitpruning.parquet.Footer
import limitpruning.select.{FirstMatchingRows, ListedFile, MatchingRows, Reason, SearchCounts, Selection}

/**
 * Searches for rows that match, in reading order, only as long as it pays: until there are `limit`, or every row of the table
 * is decided, or a wave shows that the data is not clustered by the predicate, or the budget is used up.
 *
 * @param limit rows wanted, at least 1
 * @param refine decides more row groups of a file, given how many rows are still missing; used only where footers do not
 *   prove enough
 * @param select addresses the chosen rows for the reader
 */
final class RowGroupSearch(
    limit: Int,
    budget: SearchBudget,
    read: Seq[ListedFile] => FooterWave,
    classify: (ListedFile, Footer) => ClassifiedFile,
    refine: (ClassifiedFile, Long) => ClassifiedFile,
    select: Seq[(ClassifiedFile, Seq[MatchingRows])] => Either[Reason, Selection]
) extends WaveSearch[Selection](budget, read, classify) {

  private val cover = new FirstMatchingRows[ClassifiedFile](limit)
  private var anyUndecided = false
  private var foundBefore = 0L

  /** The files that were inspected, in reading order. */
  def seen: Seq[ClassifiedFile] = inspectedFiles

  override protected def inOrder(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] = files

  override protected def remaining(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] = files

  override protected def missingRows: Long = limit - cover.rows

  override protected def matchingRows(file: ClassifiedFile): Long =
    file.matching.iterator.map(_.rows.min(limit.toLong)).sum // so that absurd counts do not overflow

  override protected def add(wave: Seq[ClassifiedFile]): Seq[ClassifiedFile] = {
    foundBefore = cover.rows
    val isEnough = wave.map(matchingRows).sum >= missingRows
    wave.map { file =>
      val refined = if (isEnough || cover.isComplete) file else refine(file, missingRows)
      cover.add(refined, refined.matching)
      anyUndecided ||= refined.rowGroups.exists(!_.isDecided)
      refined.rowGroups.flatMap(_.obstacle).foreach(obstacles.add)
      refined
    }
  }

  override protected def outcome(
      rest: IndexedSeq[ListedFile],
      before: SearchCounts,
      now: SearchCounts
  ): Option[Either[Reason, Selection]] =
    if (cover.isComplete || (rest.isEmpty && !anyUndecided)) Some(select(cover.chosen))
    else if (rest.isEmpty)
      Some(Left(Reason.NotEnoughRows(cover.rows, limit, obstacles.summary(now.rowGroups))))
    else if (cover.rows == foundBefore && !mostlyNotMatching(before, now))
      Some(Left(Reason.NotClustered(now.filesInspected, obstacles.summary(now.rowGroups))))
    else outOfBudget(now, cover.rows, limit).map(Left(_))

  /** Whether most row groups of the wave between the two counts are not matching, as in clustered data. */
  private def mostlyNotMatching(before: SearchCounts, after: SearchCounts): Boolean = {
    val rowGroups = after.rowGroups - before.rowGroups
    val notMatching = rowGroups - (after.matched - before.matched)
    2 * notMatching >= rowGroups
  }
}
