package limitpruning.search

import limitpruning.select.{
  FirstMatchingRows, ListedFile, MatchingRows, Reason, SearchCounts, Selection, SkippedRows
}

/**
 * Searches for matching rows, in reading order. It stops when `limit` rows are found, when every row of the table is
 * decided, when as many rows are likely, when a wave shows that the data is not clustered by the predicate, or when the
 * budget is used up.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param refine decides more row groups of a file, given the number of missing rows; used only if footers do not
 *   prove enough rows
 * @param expect receives the files that `refine` may receive next
 * @param select converts the chosen rows to a selection for the reader
 * @param skipsUnreadable whether the search goes on without a file whose footer cannot be read; it does not know then
 *   whether it has found all rows
 * @param offset how many of the rows an OFFSET skips, less than `limit`; these are not selected, as far as possible, if as many rows
 *   as the limit needs are found
 * @param dropsRows whether the scan can drop rows of a row group that it reads
 * @param mayBeInFirstTask whether the first task of plain Spark may find enough rows in a file if a row group may match, and
 *   skips the other row groups of the file, too
 */
final class RowGroupSearch(
    limit: Int,
    inputs: WaveInputs,
    refine: (ClassifiedFile, Long) => ClassifiedFile,
    expect: Seq[ClassifiedFile] => Unit,
    select: Seq[(ClassifiedFile, Seq[MatchingRows])] => Either[Reason, Selection],
    skipsUnreadable: Boolean = false,
    offset: Int = 0,
    dropsRows: Boolean = false,
    mayBeInFirstTask: ClassifiedFile => Boolean = _ => false
) extends WaveSearch[Selection](inputs, skipsUnreadable) {

  private val cover = new FirstMatchingRows[ClassifiedFile](limit)
  private var anyUndecided = false
  private var foundBefore = 0L
  // Rows that match if writers are right that are not listed.
  private var likely, likelyBefore = 0L
  private var skippedRows = SkippedRows.Zero
  private var lastWave: Seq[ClassifiedFile] = Nil

  /** The rows that the OFFSET skips and that are not selected. */
  def skipped: SkippedRows = skippedRows

  /** The files that were inspected, in reading order. */
  override def seen: Seq[ClassifiedFile] = inspectedFiles

  override protected def inOrder(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] = files

  override protected def remaining(files: IndexedSeq[ListedFile]): IndexedSeq[ListedFile] = files

  override protected def missingRows: Long = limit - cover.rows

  override protected def matchingRows(file: ClassifiedFile): Long =
    if (file.deletedRows > 0) file.matchingRows
    else file.matching.iterator.map(_.rows.min(limit.toLong)).sum // so that corrupt counts do not overflow

  // Files may have thousands of row groups. A part of them shows whether the table is clustered.
  override protected def mostUndecided(size: Int): Long =
    RowGroupSearch.MostUndecidedOfFile * size

  override protected def add(wave: Seq[ClassifiedFile]): Seq[ClassifiedFile] = {
    foundBefore = cover.rows
    likelyBefore = likely
    val isEnough = wave.map(matchingRows).sum >= missingRows
    if (!isEnough) expect(wave)
    lastWave = wave.map { file =>
      val refined = if (isEnough || cover.isComplete) file else refine(file, missingRows)
      // It is not known which rows were deleted, so only all matching row groups together are certain to have rows.
      if (refined.deletedRows > 0) cover.addAll(refined, refined.matching, refined.matchingRows)
      else cover.add(refined, refined.matching)
      anyUndecided ||= refined.undecided > 0
      for (rowGroup <- refined.rowGroups; obstacle <- rowGroup.obstacle) obstacles.add(obstacle)
      likely += refined.rowGroups.indices.iterator.filter(refined.rowGroups(_).isLikely).map { rowGroup =>
        refined.footer.rowGroups(rowGroup).getRowCount.min(limit.toLong)
      }.sum
      refined
    }
    lastWave
  }

  override protected def outcome(
      rest: IndexedSeq[ListedFile],
      now: SearchCounts
  ): Option[Either[Reason, Selection]] =
    if (cover.isComplete) {
      val found = cover.withoutFirst(offset.toLong, dropsRows)
      skippedRows = found.skipped
      Some(select(found.chosen))
    } else if (rest.isEmpty && !anyUndecided) Some(select(cover.chosen))
    else if (likely > 0 && (rest.isEmpty || cover.rows + likely >= limit))
      Some(Left(Reason.WriterNotListed(cover.rows, likely, limit, obstacles.summary(now.rowGroups))))
    else if (rest.isEmpty)
      Some(Left(Reason.NotEnoughRows(cover.rows, limit, obstacles.summary(now.rowGroups))))
    else
      // Memory first, because little memory makes waves of few files, which show no clustering.
      outOfMemory(cover.rows, limit)
        .orElse(notClustered(now))
        .orElse(outOfBudget(now, cover.rows, limit))
        .orElse(notClusteredInFiles(now))
        .map(Left(_))

  /** The reason if the last wave proved no row, and does not look clustered; none otherwise. */
  private def notClustered(now: SearchCounts): Option[Reason] =
    if (hasProgress || isMost(lastWave.map(_.notMatching).sum, lastWave.map(_.rowGroups.size).sum)) None
    else Some(Reason.NotClustered(now.filesInspected, obstacles.summary(now.rowGroups)))

  /**
   * The reason if the last wave proved no row, and the first task of plain Spark may find rows in most of its files. Plain
   * Spark opens files without a match, too, so their footers cost nothing more.
   */
  private def notClusteredInFiles(now: SearchCounts): Option[Reason] =
    if (
      hasProgress || isMost(withoutMatch, lastWave.count(_.rowGroups.nonEmpty)) ||
      !lastWave.forall(mayBeInFirstTask)
    ) None
    else Some(Reason.NotClustered(now.filesInspected, obstacles.summary(now.rowGroups)))

  /** Number of files of the last wave with row groups, none of which may match. */
  private def withoutMatch: Int =
    lastWave.count(file => file.rowGroups.nonEmpty && file.notMatching == file.rowGroups.size)

  private def hasProgress: Boolean = cover.rows > foundBefore || likely > likelyBefore

  /** Whether at least half do not match, as in clustered data. */
  private def isMost(notMatching: Int, all: Int): Boolean = 2L * notMatching >= all
}

private object RowGroupSearch {

  /** A wave ends after so many times the undecided row groups that it has files. */
  private val MostUndecidedOfFile = 32L
}
