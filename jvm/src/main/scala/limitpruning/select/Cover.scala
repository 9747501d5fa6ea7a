package limitpruning.select

import scala.collection.mutable.ArrayBuffer

import limitpruning.predicate.MatchState

/**
 * Walks classified row groups in order and adds up the fully matching ones until they hold `limit` rows.
 *
 * `F` is whatever the caller knows a file by, and `R` a row group. Not thread-safe: one walk, one instance.
 *
 * @param limit rows wanted, at least 1
 * @param rowsOf rows of a row group, at least 0
 */
final class Cover[F, R](limit: Long, rowsOf: R => Long) {
  private val chosen = ArrayBuffer.empty[(F, Seq[R])]
  private var found = 0L

  def isComplete: Boolean = found >= limit

  /** Fully matching rows found so far; stops growing once the limit is covered. */
  def rows: Long = found

  /** Takes from one file what is still needed; files must come in reading order, row groups in file order. */
  def add(file: F, rowGroups: Seq[(R, MatchState)]): Unit = {
    val taken = ArrayBuffer.empty[R]
    val candidates = rowGroups.iterator.collect { case (rowGroup, MatchState.FullyMatching) => rowGroup }
    while (!isComplete && candidates.hasNext) {
      val rowGroup = candidates.next()
      taken += rowGroup
      found = saturatingAdd(found, rowsOf(rowGroup))
    }
    if (taken.nonEmpty) chosen += ((file, taken.toSeq))
  }

  /** The files with the row groups chosen in each, or none where the limit is not covered. */
  def result: Option[Seq[(F, Seq[R])]] = if (isComplete) Some(chosen.toSeq) else None

  // A footer may claim any row count: the sum stays at the largest Long instead of turning negative.
  private def saturatingAdd(a: Long, b: Long): Long = if (a > Long.MaxValue - b) Long.MaxValue else a + b
}
