package limitpruning.select

import scala.collection.mutable.ArrayBuffer

/**
 * Rows of one row group that are proved to match.
 *
 * @param ordinal the row group's position in its file, from 0
 * @param ranges the rows, ascending; at least one
 * @param isWhole whether every row of the row group is proved to match, whichever of them `ranges` are
 * @param reliesOnPages whether the proof relies on the page index
 * @param areAlone whether the scan drops the other rows of the row group, even if it reads their pages
 */
final case class MatchingRows(
    ordinal: Int,
    ranges: Seq[RowRange],
    isWhole: Boolean,
    reliesOnPages: Boolean,
    areAlone: Boolean = false
) {
  def rows: Long = RowRange.rowsOf(ranges)
}

/**
 * Adds up matching rows in order until there are `limit` rows, and cuts off the rest.
 *
 * `F` is the caller's identifier of a file. Not thread-safe: each search needs its own instance.
 *
 * @param limit the rows that are needed, at least 1
 */
final class FirstMatchingRows[F](limit: Long) {
  import FirstMatchingRows._

  private val taken = ArrayBuffer.empty[Taken[F]]
  private var found = 0L

  def isComplete: Boolean = found >= limit

  /** The number of matching rows so far, at most `limit`. */
  def rows: Long = found

  /**
   * Adds the rows of one file that are still needed. Files must be added in reading order, and row groups in
   * file order.
   */
  def add(file: F, matching: Seq[MatchingRows]): Unit = {
    val rows = ArrayBuffer.empty[MatchingRows]
    val candidates = matching.iterator
    while (!isComplete && candidates.hasNext) {
      val next = candidates.next()
      val cut = next.copy(ranges = RowRange.take(next.ranges, limit - found))
      rows += cut
      found += cut.rows
    }
    if (rows.nonEmpty) taken += Taken(file, rows.toSeq, None)
  }

  /**
   * Adds all these rows of one file, if rows are still needed.
   *
   * @param certain how many of them are certain to be in the table, at least 0
   */
  def addAll(file: F, matching: Seq[MatchingRows], certain: Long): Unit =
    if (!isComplete && matching.nonEmpty) {
      taken += Taken(file, matching, Some(certain))
      found += math.min(certain, limit - found)
    }

  /** The files with the rows selected in each so far. */
  def chosen: Seq[(F, Seq[MatchingRows])] = taken.iterator.map(part => (part.file, part.rows)).toSeq

  /**
   * The same without the first `offset` rows. If some rows were deleted, only whole files are left out: their rows are counted by
   * file, and the format's own reader reads files as a whole.
   *
   * @param dropsRows whether the scan can drop rows of a row group that it reads; if not, only whole row groups are left out
   */
  def withoutFirst(offset: Long, dropsRows: Boolean): Rest[F] =
    if (taken.exists(_.certain.nonEmpty)) {
      val (skipped, rest) = SkippedRows.split(taken.toSeq, offset)(_.count)
      Rest(
        rest.map(part => (part.file, part.rows)),
        SkippedRows(skipped.map(_.count).sum, skipped.map(_.rows.size).sum)
      )
    } else {
      val rowGroups = for (part <- taken.toSeq; rowGroup <- part.rows) yield (part.file, rowGroup)
      val (skipped, rest) = SkippedRows.split(rowGroups, offset)(_._2.rows)
      val rows = skipped.map(_._2.rows).sum
      if (dropsRows && rows < offset) {
        val (file, first) = rest.head
        val cut = first.copy(ranges = RowRange.drop(first.ranges, offset - rows), areAlone = true)
        Rest(byFile((file, cut) +: rest.tail), SkippedRows(offset, skipped.size))
      } else Rest(byFile(rest), SkippedRows(rows, skipped.size))
    }

  private def byFile(rowGroups: Seq[(F, MatchingRows)]): Seq[(F, Seq[MatchingRows])] =
    rowGroups.foldLeft(Vector.empty[(F, Vector[MatchingRows])]) {
      case (done :+ ((file, rows)), (next, rowGroup)) if file == next => done :+ ((file, rows :+ rowGroup))
      case (done, (next, rowGroup)) => done :+ ((next, Vector(rowGroup)))
    }
}

object FirstMatchingRows {

  /** @param certain how many of the rows are certain to be in the table, if some of them were deleted */
  private final case class Taken[F](file: F, rows: Seq[MatchingRows], certain: Option[Long]) {
    def count: Long = certain.getOrElse(rows.iterator.map(_.rows).sum)
  }

  /**
   * The rows that are read, without those that an OFFSET skips.
   *
   * @param skipped the rows before them that are not read
   */
  final case class Rest[F](chosen: Seq[(F, Seq[MatchingRows])], skipped: SkippedRows)
}

/**
 * Matching rows that an OFFSET skips, and that are counted and not selected.
 *
 * @param rowGroups the number of row groups of which no row is selected
 */
final case class SkippedRows(rows: Long, rowGroups: Int)

object SkippedRows {
  val Zero: SkippedRows = SkippedRows(0, 0)

  /** @return the first elements that have, together, at most `most` rows, and the others */
  def split[A](all: Seq[A], most: Long)(rows: A => Long): (Seq[A], Seq[A]) =
    all.splitAt(all.iterator.scanLeft(0L)(_ + rows(_)).drop(1).takeWhile(_ <= most).size)
}
