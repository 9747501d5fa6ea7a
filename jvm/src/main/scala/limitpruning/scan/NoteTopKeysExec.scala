package limitpruning.scan

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import limitpruning.predicate.FirstKey

/**
 * Returns all rows of its child, and records the keys of the first `limit` rows of each task in sort order.
 * The scan below can then skip row groups that sort after them.
 *
 * @param key the first sort key, over the rows of the child
 */
case class NoteTopKeysExec(key: SortOrder, limit: Int, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = child.execute() // first, because the scan may be chosen now
    val threshold = child.collectFirst {
      case scan: LimitPrunedScanExec => Some(scan)
      case node: RunsLimitPrunedScan => node.limitPrunedScan
    }.flatten.flatMap(_.sharedThreshold)
    threshold.fold(rows) { shared =>
      val first = FirstKey.of(key)
      val (expression, input, wanted) = (key.child, child.output, limit)
      rows.mapPartitionsWithIndex { (partition, passing) =>
        val keys = UnsafeProjection.create(Seq(expression), input)
        keys.initialize(partition)
        val stage = SkipBehindThreshold.stage
        val top = new TopKeys(
          wanted,
          first,
          (place, count) => shared.value.improve(stage, partition, place, count, wanted, first.order)
        )
        new Iterator[InternalRow] {
          override def hasNext: Boolean = {
            val more = passing.hasNext
            if (!more) top.finish()
            more
          }
          override def next(): InternalRow = {
            val row = passing.next()
            top.note(keys(row))
            row
          }
        }
      }
    }
  }

  override def nodeName: String = "NoteTopKeys"

  override protected def withNewChildInternal(newChild: SparkPlan): NoteTopKeysExec = copy(child = newChild)
}
