package limitpruning.scan

import java.util.PriorityQueue

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.unsafe.types.UTF8String

import limitpruning.predicate.FirstKey
import limitpruning.select.{Place, RowBound}

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

/**
 * The best place that enough rows have reached, as far as the tasks of one stage on one executor have met them: a broadcast
 * value, which an executor has once. Another run of the plan is another stage, which begins anew.
 *
 * Rows are counted by the partition that they are of, so that none counts twice, however often a task is tried. Thread-safe.
 * What is lost on the way costs nothing but time.
 */
private[scan] final class SharedBound extends Serializable {
  import SharedBound.Reached

  @volatile @transient private var reached: Reached = _
  @transient private lazy val met = mutable.Map.empty[Int, (Any, Long)]

  /** The best place, none where too few rows have been met in this stage yet. */
  def place(stage: Int): Option[Any] = Option(reached).filter(_.stage == stage).flatMap(_.place)

  /**
   * Some rows of a partition were met at `place` or before it; they stand for all that it has told before.
   *
   * @param place one that is never changed, in Catalyst's representation, null for SQL's NULL
   * @param limit rows that are enough
   */
  def improve(stage: Int, partition: Int, place: Any, rows: Long, limit: Int, order: Ordering[Any]): Unit =
    synchronized {
      if (reached == null || reached.stage != stage) {
        met.clear()
        reached = Reached(stage, None)
      }
      met(partition) = (place, rows)
      val bound = new RowBound(limit.toLong, order)
      met.values.foreach { case (place, rows) => bound.add(place, rows) }
      for (better <- bound.place if reached.place.forall(order.lt(better, _)))
        reached = Reached(stage, Some(better))
    }
}

private object SharedBound {
  private final case class Reached(stage: Int, place: Option[Any])
}

/**
 * Tells row groups that need not be read any more, because enough rows that were read since are before all of theirs. Runs
 * on executors.
 */
private[scan] final class SkipBehindBound(
    bound: Broadcast[SharedBound],
    key: FirstKey,
    rowGroupsSkipped: SQLMetric
) extends Serializable {

  /** Whether none of the row groups of a split can hold one of the first rows; counts them where so. */
  def apply(planned: Seq[PlannedRowGroup]): Boolean = {
    val reached = bound.value.place(SkipBehindBound.stage)
    val isBehind = reached.exists { place =>
      planned.forall(_.best.exists(best => key.order.gt(best.place, place)))
    }
    if (isBehind) rowGroupsSkipped += planned.size.toLong
    isBehind
  }
}

private[scan] object SkipBehindBound {
  def stage: Int = Option(TaskContext.get()).fold(-1)(_.stageId())
}
