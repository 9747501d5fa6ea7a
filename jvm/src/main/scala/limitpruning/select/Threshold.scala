package limitpruning.select

import scala.collection.mutable.ArrayBuffer

/**
 * Finds the top-k threshold: the best place such that at least `limit` rows are certain to be at it or before
 * it. A row that sorts strictly after it is not among the first `limit` rows. For example, one row each is
 * certain to be at 7 or before it, at 5 or before it, and at 9 or before it. In ascending order, two rows are
 * then certain to be at 7 or before it.
 *
 * Not thread-safe: each search needs its own instance.
 *
 * @param limit the rows that are needed, at least 1
 * @param order the order of places; a place is better than another one if it sorts before it
 */
final class Threshold(limit: Long, order: Ordering[Any]) {
  private val certain = ArrayBuffer.empty[(Any, Long)]
  private var found = 0L
  private var isSettled = true
  private var reached: Option[Any] = None

  /** Adds rows that are certain to be at `place` or before it, and have not been counted yet. */
  def add(place: Any, rows: Long): Unit = if (rows > 0) {
    certain += ((place, rows))
    isSettled = false
  }

  /** The threshold. None as long as fewer than `limit` rows are certain. */
  def place: Option[Any] = { settle(); reached }

  /**
   * The number of rows that are certain to be at the threshold or before it. If there is no threshold, the
   * number of all rows that are certain.
   */
  def rows: Long = { settle(); found }

  /**
   * Whether no row of a unit can be among the first rows, given the best place that one of its rows may have.
   */
  def excludes(best: Option[Any]): Boolean =
    place.exists(threshold => best.exists(order.gt(_, threshold)))

  /**
   * Whether no row of a unit can be before the threshold, given the best place that one of its rows may have. Its rows are
   * not needed if rows at the same place may be in any order, and if the rows that are certain are read.
   */
  def isReachedBy(best: Option[Any]): Boolean =
    place.exists(threshold => best.exists(order.gteq(_, threshold)))

  /** Adds row counts without overflow, because footers may contain any numbers. */
  private def sum(rows: Long, more: Long): Long =
    if (rows > Long.MaxValue - more) Long.MaxValue else rows + more

  /**
   * Drops rows that are certain only for a place after the threshold. They will never count, as the threshold
   * only gets better.
   */
  private def settle(): Unit = if (!isSettled) {
    val sorted = certain.sortBy(_._1)(order)
    val totals = sorted.iterator.map(_._2).scanLeft(0L)(sum).drop(1)
    reached = sorted.iterator.zip(totals).collectFirst { case ((place, _), total) if total >= limit => place }
    val kept =
      reached.fold(sorted)(threshold => sorted.takeWhile { case (place, _) => order.lteq(place, threshold) })
    certain.clear()
    certain ++= kept
    found = kept.iterator.map(_._2).foldLeft(0L)(sum)
    isSettled = true
  }
}

object Threshold {

  /** The largest limit for which a task stores the keys of rows that it reads. More keys are not worth their memory. */
  val MostNoted: Int = 10000
}
