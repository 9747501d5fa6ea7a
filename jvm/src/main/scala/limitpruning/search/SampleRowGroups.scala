package limitpruning.search

import scala.concurrent.duration.DurationInt

import limitpruning.select.{ChosenRows, MatchingRows, RowRange, SearchCounts}

/**
 * Some row groups of a table in which a search by rows may find enough. If it does not, Spark's own scan reads the table.
 *
 * @param plan reads the row groups
 * @param form remembers whether samples for such queries had enough
 */
final case class SampleRowGroups private (plan: LimitPlan, form: UnprovedForm) {

  /** Notes that the sample had enough. */
  def paid(): Unit = form.decided()

  /** Notes that the sample did not have enough. */
  def readInVain(): Unit = form.readInVain()
}

object SampleRowGroups {

  /**
   * Row groups from all inspected files, first those in which rows are expected to match.
   *
   * @param files that have been inspected
   * @param most the maximum number of row groups
   * @param leastRows the minimum number of rows of a row group
   * @return none if there are no such row groups, or if earlier queries of this form searched samples in vain
   */
  private[limitpruning] def apply(
      groups: GroupsScan,
      files: Seq[ClassifiedFile],
      inputs: SearchInputs,
      most: Int,
      leastRows: Long
  ): Option[SampleRowGroups] = {
    val scan = groups.scan
    val chosen = sampleOf(files, most, leastRows)
    for {
      (first, _) <- chosen.headOption
      form = inputs.unprovedSample(groups.keys)
      if form.mayRead(first.listed, isOneTask = false)
      selection <- inputs.address(Patience.fromNow)(chosen).toOption
    } yield {
      val rows = ChosenRows(
        scan.limit,
        scan.conjuncts,
        selection,
        SearchCounts.Zero,
        planningNanos = 0,
        allRowsMatch = false
      )
      SampleRowGroups(LimitPlan(rows, scan.table.settings), form)
    }
  }

  private def sampleOf(
      files: Seq[ClassifiedFile],
      most: Int,
      leastRows: Long
  ): Seq[(ClassifiedFile, Seq[MatchingRows])] = {
    val candidates = for {
      (file, number) <- files.zipWithIndex
      rowGroup <- file.rowGroups.indices
      if file.mayMatch(rowGroup) && file.footer.rowGroups(rowGroup).getRowCount >= leastRows
    } yield (number, rowGroup, rank(file.rowGroups(rowGroup)))
    val best = candidates.sortBy { case (_, _, rank) => rank }
    val alike = best.takeWhile(_._3 == best.head._3)
    val tried = if (alike.size >= most) spread(alike, most) else best.take(most)
    tried.groupBy(_._1).toSeq.sortBy(_._1).map { case (number, chosen) =>
      val file = files(number)
      file -> chosen.map(_._2).sorted.map { rowGroup =>
        val ranges = RowRange.all(file.footer.rowGroups(rowGroup).getRowCount)
        MatchingRows(rowGroup, ranges, isWhole = true, reliesOnPages = false)
      }
    }
  }

  /** Neighbours often have the same values. */
  private def spread[T](all: Seq[T], most: Int): Seq[T] = (0 until most).map(i =>
    all((i.toLong * all.size / most).toInt)
  )

  private def rank(rowGroup: ClassifiedRowGroup): Int =
    if (rowGroup.matching.nonEmpty || rowGroup.isLikely) 0 else if (rowGroup.isUnlikely) 2 else 1

  /** Nothing is read to address whole row groups. */
  private val Patience = 1.minute
}
