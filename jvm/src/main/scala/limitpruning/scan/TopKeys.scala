package limitpruning.scan

import java.util.PriorityQueue

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import limitpruning.predicate.FirstKey
import limitpruning.select.Place

/**
 * Keeps the keys of the first `limit` rows of one partition, and tells the other tasks from time to time. Not thread-safe.
 *
 * @param tell takes the last place of the rows that are kept, and how many they are
 */
private[scan] final class TopKeys(limit: Int, key: FirstKey, tell: (Any, Long) => Unit) {
  import TopKeys._

  private val order = key.order
  private val kept =
    new PriorityQueue[Place]((a, b) => order.compare(b.place, a.place)) // the last place ahead
  private var untold = 0

  /** @param row the key alone; may be changed by the caller afterwards */
  def note(row: UnsafeRow): Unit = {
    val place = if (row.isNullAt(0)) null else row.get(0, key.dataType)
    if (kept.size < limit) keep(place, isDue = untold + 1 >= OftenUntold || kept.size + 1 == limit)
    else if (order.lt(place, kept.peek().place)) {
      val _ = kept.poll()
      keep(place, isDue = untold + 1 >= SeldomUntold)
    }
  }

  /** Tells what has not been told yet. */
  def finish(): Unit = if (untold > 0) tellAll()

  private def keep(place: Any, isDue: Boolean): Unit = {
    val _ = kept.add(Place(copied(place)))
    untold += 1
    if (isDue) tellAll()
  }

  private def tellAll(): Unit = {
    untold = 0
    tell(kept.peek().place, kept.size.toLong)
  }

  /** Strings point into the row. */
  private def copied(place: Any): Any = place match {
    case string: UTF8String => string.copy()
    case other => other
  }
}

private object TopKeys {

  /** Keys that are kept without telling, as long as they are too few: each of them may have cost a whole row group. */
  private val OftenUntold = 16

  /** Keys that are kept without telling once they are enough. */
  private val SeldomUntold = 256
}
