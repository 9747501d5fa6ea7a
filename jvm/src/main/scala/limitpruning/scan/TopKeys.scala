package limitpruning.scan

import java.util.PriorityQueue

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.unsafe.types.UTF8String

import limitpruning.predicate.FirstKey
import limitpruning.select.{Place, Threshold}

/**
 * Stores the keys of the first `limit` rows of one partition in sort order, and reports them to the other
 * tasks from time to time. Not thread-safe.
 *
 * @param report receives the last place of the stored rows, and their number
 */
private[scan] final class TopKeys(limit: Int, key: FirstKey, report: (Any, Long) => Unit) {
  import TopKeys._

  private val order = key.order
  private val best =
    new PriorityQueue[Place]((a, b) => order.compare(b.place, a.place)) // the last place first
  private var unreported = 0
  private var due = 1 // new keys after which they are reported, once there are `limit` keys

  /** @param row the key alone; the caller may change it afterwards */
  def note(row: UnsafeRow): Unit = {
    val place = if (row.isNullAt(0)) null else row.get(0, key.dataType)
    if (best.size < limit) keep(place, isDue = unreported + 1 >= OftenUnreported || best.size + 1 == limit)
    else if (order.lt(place, best.peek().place)) {
      val _ = best.poll()
      val isDue = unreported + 1 >= due
      if (isDue) due = (2 * due).min(SeldomUnreported)
      keep(place, isDue)
    }
  }

  /** Reports the keys that have not been reported yet. */
  def finish(): Unit = if (unreported > 0) reportAll()

  private def keep(place: Any, isDue: Boolean): Unit = {
    val _ = best.add(Place(copied(place)))
    unreported += 1
    if (isDue) reportAll()
  }

  private def reportAll(): Unit = {
    unreported = 0
    report(best.peek().place, best.size.toLong)
  }

  /** Copies strings, because they point into the row. */
  private def copied(place: Any): Any = place match {
    case string: UTF8String => string.copy()
    case other => other
  }
}

private object TopKeys {

  /**
   * The number of new keys after which they are reported, while there are fewer than `limit`. Each of them
   * may have needed a whole row group.
   */
  private val OftenUnreported = 16

  /**
   * The most new keys after which they are reported, if there are `limit` keys. It begins with one key, and doubles: the first
   * `limit` rows may be any, such as NaN, and few rows of a large table are better than those before them.
   */
  private val SeldomUnreported = 256
}

/**
 * The top-k threshold that the tasks of one stage on one executor have found while reading. It is a broadcast
 * value, so each executor has one copy. If the plan runs again, the new stage starts without a threshold.
 *
 * Rows are counted by partition, so no row counts twice, even if a task is repeated. Thread-safe. A lost
 * update only costs time.
 */
private[scan] final class SharedThreshold extends Serializable {
  import SharedThreshold.Reached

  @volatile @transient private var reached: Reached = _
  @transient private lazy val met = mutable.Map.empty[Int, (Any, Long)]

  /** The threshold. None if the tasks of this stage have read too few rows so far. */
  def place(stage: Int): Option[Any] = Option(reached).filter(_.stage == stage).flatMap(_.place)

  /**
   * Records that rows of a partition are at `place` or before it. This replaces the previous record of the
   * partition.
   *
   * @param place an immutable place in Catalyst's representation, null for SQL's NULL
   * @param limit the number of rows that are enough
   */
  def improve(stage: Int, partition: Int, place: Any, rows: Long, limit: Int, order: Ordering[Any]): Unit =
    // Other rows cannot improve the threshold, and there may be thousands of partitions.
    if (this.place(stage).forall(order.lt(place, _))) synchronized {
      if (reached == null || reached.stage != stage) {
        met.clear()
        reached = Reached(stage, None)
      }
      met(partition) = (place, rows)
      val threshold = new Threshold(limit.toLong, order)
      met.values.foreach { case (place, rows) => threshold.add(place, rows) }
      for (better <- threshold.place if reached.place.forall(order.lt(better, _))) {
        reached = Reached(stage, Some(better))
        met --= met.iterator.collect { case (other, (at, _)) if order.gteq(at, better) => other }.toVector
      }
    }
}

private object SharedThreshold {
  private final case class Reached(stage: Int, place: Option[Any])
}

/**
 * Finds row groups that no longer need to be read, because enough rows that were read sort before all their
 * rows. Runs on executors.
 */
private[scan] final class SkipBehindThreshold(
    threshold: Broadcast[SharedThreshold],
    key: FirstKey,
    rowGroupsSkipped: SQLMetric
) extends Serializable {

  /**
   * Whether no row group of a split can contain one of the first rows. If so, they are counted as skipped.
   */
  def apply(planned: Seq[PlannedRowGroup]): Boolean = {
    val reached = threshold.value.place(SkipBehindThreshold.stage)
    val isBehind = reached.exists { place =>
      planned.forall(_.best.exists(best => key.order.gt(best.place, place)))
    }
    if (isBehind) rowGroupsSkipped += planned.size.toLong
    isBehind
  }
}

private[scan] object SkipBehindThreshold {
  def stage: Int = Option(TaskContext.get()).fold(-1)(_.stageId())
}
