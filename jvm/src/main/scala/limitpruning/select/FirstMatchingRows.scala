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
  private val taken = ArrayBuffer.empty[(F, Seq[MatchingRows])]
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
    if (rows.nonEmpty) taken += ((file, rows.toSeq))
  }

  /**
   * Adds all these rows of one file, if rows are still needed.
   *
   * @param certain how many of them are certain to be in the table, at least 0
   */
  def addAll(file: F, matching: Seq[MatchingRows], certain: Long): Unit =
    if (!isComplete && matching.nonEmpty) {
      taken += ((file, matching))
      found += math.min(certain, limit - found)
    }

  /** The files with the rows selected in each so far. */
  def chosen: Seq[(F, Seq[MatchingRows])] = taken.toSeq
}
