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
   * The same without the first row groups that have, together, at most `offset` rows. If some rows were deleted, files are left
   * out as a whole: their rows are counted by file, and the format's own reader reads files as a whole.
   */
  def chosenAfter(offset: Long): After[F] = {
    var left = offset
    var skipped = SkippedRows.Zero
    var isDone = false
    def skips(rows: Long, rowGroups: Int): Boolean = {
      isDone ||= rows > left
      if (!isDone) {
        left -= rows
        skipped = SkippedRows(skipped.rows + rows, skipped.rowGroups + rowGroups)
      }
      !isDone
    }
    val inWholeFiles = taken.exists(_.certain.nonEmpty)
    val rest = taken.iterator.map { part =>
      val rows =
        if (!inWholeFiles) part.rows.dropWhile(rowGroup => skips(rowGroup.rows, 1))
        else if (skips(part.certain.getOrElse(part.rows.map(_.rows).sum), part.rows.size)) Nil
        else part.rows
      (part.file, rows)
    }.filter(_._2.nonEmpty).toVector
    After(rest, skipped)
  }
}

object FirstMatchingRows {

  /** @param certain how many of the rows are certain to be in the table, if some of them were deleted */
  private final case class Taken[F](file: F, rows: Seq[MatchingRows], certain: Option[Long])

  /**
   * The rows that are read, without those that an OFFSET skips.
   *
   * @param skipped the rows before them that are not read
   */
  final case class After[F](chosen: Seq[(F, Seq[MatchingRows])], skipped: SkippedRows)
}

/** Matching rows that an OFFSET skips, in row groups that are counted and not read. */
final case class SkippedRows(rows: Long, rowGroups: Int)

object SkippedRows {
  val Zero: SkippedRows = SkippedRows(0, 0)
}
