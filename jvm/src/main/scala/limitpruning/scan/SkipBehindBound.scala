package limitpruning.scan

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.execution.metric.SQLMetric

import limitpruning.predicate.FirstKey

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
