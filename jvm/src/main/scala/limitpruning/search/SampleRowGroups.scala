package limitpruning.search

import scala.concurrent.duration.DurationInt

import limitpruning.parquet.{FileId, ReadSettings}
import limitpruning.select.{ChosenRows, MatchingRows, RowRange, SearchCounts}

/**
 * Some row groups of a table in which a search by rows may find enough groups. If it does not, Spark's own scan reads the table.
 *
 * @param rows the row groups
 * @param settings for which they were chosen
 * @param form remembers whether samples for such queries had enough groups
 */
final case class SampleRowGroups private (rows: ChosenRows, settings: ReadSettings, form: UnprovedForm)

object SampleRowGroups {

  /**
   * Row groups from all inspected files, first those in which rows are expected to match.
   *
   * @param files that have been inspected
   * @param most the maximum number of row groups
   * @param leastRows the minimum number of rows of a row group
   * @param mostRows the maximum number of rows of a row group
   * @return none if there are no such row groups, if plain Spark skips many of their pages, or if earlier queries of this form had a
   *   sample in vain
   */
  private[limitpruning] def apply(
      groups: GroupsScan,
      files: Seq[ClassifiedFile],
      inputs: SearchInputs,
      most: Int,
      leastRows: Long,
      mostRows: Long
  ): Option[SampleRowGroups] = {
    val scan = groups.scan
    for {
      first <- inputs.files.headOption
      form = inputs.unprovedSample(groups.keys)
      chosen = sampleOf(files, most, leastRows, mostRows)
      (file, matching) <- chosen.headOption
      if form.canRemember && form.mayRead(FileId.of(first.status), isOneTask = false) &&
        RowsLeftByPages.share(file, matching.head.ordinal, inputs) >= LeastLeft
      selection <- inputs.address(Patience.fromNow)(chosen).toOption
    } yield {
      // The rows that are found do not rely on other parts of the files.
      val sample = ChosenRows(
        scan.limit,
        scan.conjuncts,
        selection.canonicalized,
        SearchCounts.Zero,
        planningNanos = 0,
        allRowsMatch = false
      )
      SampleRowGroups(sample, scan.table.settings, form)
    }
  }

  private def sampleOf(
      files: Seq[ClassifiedFile],
      most: Int,
      leastRows: Long,
      mostRows: Long
  ): Seq[(ClassifiedFile, Seq[MatchingRows])] = {
    val candidates = for {
      (file, number) <- files.zipWithIndex
      rowGroup <- file.rowGroups.indices
      if file.mayMatch(rowGroup)
      count = file.footer.rowGroups(rowGroup).getRowCount
      if leastRows <= count && count <= mostRows
    } yield (number, rowGroup, LikelyRowGroups.rank(file.rowGroups(rowGroup)))
    val best = candidates.sortBy { case (_, _, rank) => rank }
    val alike = best.takeWhile(_._3 == best.head._3)
    val tried = if (alike.size >= most) spread(alike, most) else best.take(most)
    tried.groupBy(_._1).toSeq.sortBy(_._1).map { case (number, chosen) =>
      val file = files(number)
      file -> chosen.map(_._2).sorted.map { rowGroup =>
        val all = RowRange.all(file.footer.rowGroups(rowGroup).getRowCount)
        MatchingRows(rowGroup, all, isWhole = true, reliesOnPages = false)
      }
    }
  }

  /** Neighbours often have the same values. */
  private def spread[T](all: Seq[T], most: Int): Seq[T] = (0 until most).map(i =>
    all((i.toLong * all.size / most).toInt)
  )

  /** Nothing is read to address whole row groups. */
  private val Patience = 1.minute

  /** A sample reads whole row groups. It may read a tenth of what plain Spark reads of the table. */
  private val LeastLeft = 0.5
}
