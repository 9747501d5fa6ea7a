package limitpruning.catalyst

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * Tells a [[ChooseWhenRunExec]] below it that an action takes its rows: `collect`, `show` and `take` of a LIMIT at the root
 * start one task first, which finds enough rows in most tables. All other actions execute the plan, and the
 * [[ChooseWhenRunExec]] searches the table. Returns the rows of its child.
 *
 * @param limit rows that the LIMIT needs, with its OFFSET
 * @param child the scan, below projections alone
 */
case class TakeFirstRowsExec(limit: Int, child: SparkPlan) extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  // Spark's CollectLimitExec calls it on its child. The choice is made once, so a later execution of the same plan reads
  // the first rows of all files. These are enough for it, too.
  override def executeTake(n: Int): Array[InternalRow] = {
    if (n <= limit) child.foreach {
      case node: ChooseWhenRunExec => node.chooseFirstRows()
      case _ => ()
    }
    child.executeTake(n)
  }

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): TakeFirstRowsExec = copy(child = newChild)
}
