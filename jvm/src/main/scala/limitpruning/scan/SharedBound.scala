package limitpruning.scan

import scala.collection.mutable

import limitpruning.select.RowBound

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
