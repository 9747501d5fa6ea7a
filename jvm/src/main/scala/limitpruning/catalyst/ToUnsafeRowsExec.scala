package limitpruning.catalyst

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * Returns the rows of its child in Spark's own format, as the projection that Spark plans above a scan of data source V2 that
 * returns rows. Spark removes its own, because the scan is not directly below it.
 *
 * @param output the columns of the child, in any order
 */
case class ToUnsafeRowsExec(override val output: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] =
    child.execute().mapPartitions(ToUnsafeRowsExec.converted(output, child.output))

  override protected def withNewChildInternal(newChild: SparkPlan): ToUnsafeRowsExec = copy(child = newChild)
}

/** What runs on executors: it must not capture the plan. */
private object ToUnsafeRowsExec {
  private def converted(
      output: Seq[Attribute],
      input: Seq[Attribute]
  ): Iterator[InternalRow] => Iterator[InternalRow] = { rows =>
    val convert = UnsafeProjection.create(output, input)
    rows.map(convert)
  }
}
