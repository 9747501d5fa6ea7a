package limitpruning.select

import scala.collection.mutable.ArrayBuffer

/**
 * Finds the place in an order that at least `limit` rows are certain to reach: a row that is strictly behind it is not among
 * the first `limit`. With rows certain to be at 7 or better, at 5 or better and at 9 or better, one each, and ascending order,
 * two rows are certain to be at 7 or better.
 *
 * Not thread-safe: one walk, one instance.
 *
 * @param limit rows wanted, at least 1
 * @param order what comes first is better
 */
final class RowBound(limit: Long, order: Ordering[Any]) {
  private val certain = ArrayBuffer.empty[(Any, Long)]
  private var found = 0L
  private var isSettled = true
  private var reached: Option[Any] = None

  /** Rows that are certain to be at `place` or better, and have not been counted yet. */
  def add(place: Any, rows: Long): Unit = if (rows > 0) {
    certain += ((place, rows))
    isSettled = false
  }

  /** The bound, or none as long as fewer than `limit` rows are certain. */
  def place: Option[Any] = { settle(); reached }

  /** Rows that are certain to be at the bound or better; all that are certain where there is no bound. */
  def rows: Long = { settle(); found }

  /** Whether no row of a unit can be among the first, by the best place that one of them may have. */
  def excludes(best: Option[Any]): Boolean =
    place.exists(bound => best.exists(order.gt(_, bound)))

  /** Footers may tell of any numbers. */
  private def sum(rows: Long, more: Long): Long =
    if (rows > Long.MaxValue - more) Long.MaxValue else rows + more

  /** Keeps what reaches the bound: what is behind it will never count, as bounds only get better. */
  private def settle(): Unit = if (!isSettled) {
    val sorted = certain.sortBy(_._1)(order)
    val totals = sorted.iterator.map(_._2).scanLeft(0L)(sum).drop(1)
    reached = sorted.iterator.zip(totals).collectFirst { case ((place, _), total) if total >= limit => place }
    val kept = reached.fold(sorted)(bound => sorted.takeWhile { case (place, _) => order.lteq(place, bound) })
    certain.clear()
    certain ++= kept
    found = kept.iterator.map(_._2).foldLeft(0L)(sum)
    isSettled = true
  }
}
