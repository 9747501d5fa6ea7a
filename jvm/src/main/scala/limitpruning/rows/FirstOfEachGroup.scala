package limitpruning.rows

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}

/**
 * The first rows of each group, in an order. Runs in tasks, so it must not hold what stays on the driver.
 *
 * @param limit rows of each group that are needed
 * @param order of the rows; no two rows are equal in it
 * @param keys the keys of the group of a row
 */
private[rows] final class FirstOfEachGroup(
    limit: Int,
    order: Ordering[InternalRow],
    keys: Seq[BoundReference]
) extends Serializable {
  import FirstOfEachGroup._

  /**
   * The first rows of each group of these, in no order; none if they are too many, as those of all groups of the table are then, too,
   * or too large to be held.
   */
  def of(rows: Iterator[InternalRow]): Option[Array[InternalRow]] = {
    val keyOf = UnsafeProjection.create(keys)
    // The last row of each group is at the head of its queue.
    val groups = mutable.HashMap.empty[UnsafeRow, mutable.PriorityQueue[InternalRow]]
    var count = 0
    var bytes = 0L
    def sizeOf(row: InternalRow) =
      row match { case unsafe: UnsafeRow => unsafe.getSizeInBytes.toLong; case _ => 0L }
    while (count <= MostRows && bytes <= MostBytes && rows.hasNext) {
      val row = rows.next()
      val key = keyOf(row)
      val first = groups.get(key) match {
        case Some(known) => known
        case None =>
          val empty = mutable.PriorityQueue.empty[InternalRow](order)
          groups.update(key.copy(), empty)
          empty
      }
      // The row is overwritten by the next one.
      if (first.size < limit) {
        first.enqueue(row.copy())
        count += 1
        bytes += sizeOf(row)
      } else if (order.lt(row, first.head)) {
        bytes += sizeOf(row) - sizeOf(first.dequeue())
        first.enqueue(row.copy())
      }
    }
    if (count > MostRows || bytes > MostBytes) None else Some(groups.valuesIterator.flatten.toArray)
  }

  def ofBoth(
      one: Option[Array[InternalRow]],
      other: Option[Array[InternalRow]]
  ): Option[Array[InternalRow]] = for {
    some <- one
    more <- other
    both <- of(some.iterator ++ more)
  } yield both
}

private[rows] object FirstOfEachGroup {

  /** Each task holds so many rows, with their keys. Each may be in another page. */
  val MostRows = 10000
  private val MostBytes = 64L * 1024 * 1024
}
