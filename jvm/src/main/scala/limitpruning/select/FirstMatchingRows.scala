package limitpruning.select

import scala.collection.mutable.ArrayBuffer

/**
 * Rows of one row group that are proved to match.
 *
 * @param ordinal the row group's position in its file, from 0
 * @param ranges the rows, ascending; at least one
 * @param isWhole whether every row of the row group is proved to match, whichever of them `ranges` are
 */
final case class MatchingRows(ordinal: Int, ranges: Seq[RowRange], isWhole: Boolean) {
  def rows: Long = RowRange.rowsOf(ranges)
}

/**
 * Walks matching rows in order and adds them up until there are `limit`; what is beyond is cut off.
 *
 * `F` is whatever the caller knows a file by. Not thread-safe: one walk, one instance.
 *
 * @param limit rows wanted, at least 1
 */
final class FirstMatchingRows[F](limit: Long) {
  private val taken = ArrayBuffer.empty[(F, Seq[MatchingRows])]
  private var found = 0L

  def isComplete: Boolean = found >= limit

  /** Matching rows found so far, `limit` at most. */
  def rows: Long = found

  /** Takes from one file what is still needed; files must come in reading order, row groups in file order. */
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

  /** The files with the rows chosen in each so far. */
  def chosen: Seq[(F, Seq[MatchingRows])] = taken.toSeq
}
