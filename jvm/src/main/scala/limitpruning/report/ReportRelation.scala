package limitpruning.report

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Statistics}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}

import limitpruning.shims.Strategy

/** A call of a table function in a logical plan. */
private[report] final case class ReportRelation(source: ReportSource, override val output: Seq[Attribute])
    extends LeafNode
    with MultiInstanceRelation {

  override def newInstance(): LogicalPlan = copy(output = output.map(_.newInstance()))

  /** An estimate. Reports are small enough to be broadcast. */
  override def computeStats(): Statistics = Statistics(sizeInBytes = BigInt(64 * 1024))

  override def simpleString(maxFields: Int): String = ReportRelation.describe(source)
}

private[report] object ReportRelation {
  def apply(source: ReportSource): ReportRelation =
    ReportRelation(source, DataTypeUtils.toAttributes(source.schema))

  /** The call without the plan of a query that it describes. */
  def describe(source: ReportSource): String = s"LimitPruningReport ${source.function}"
}

/** Plans calls of table functions. */
private[limitpruning] final case class PlanReports(session: SparkSession, shared: SharedState)
    extends Strategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ReportRelation(source, output) => Seq(ReportExec(source, output, shared))
    case _ => Nil
  }
}

/** Makes the rows of a report on the driver, each time when it runs. `collect` and `take` need no Spark job for this. */
private[report] final case class ReportExec(
    @transient source: ReportSource, // tasks of the operators above contain this node
    override val output: Seq[Attribute],
    @transient shared: SharedState
) extends LeafExecNode {

  override protected def doExecute(): RDD[InternalRow] = sparkContext.parallelize(rows, numSlices = 1)

  override def executeCollect(): Array[InternalRow] = rows.toArray

  override def executeTake(n: Int): Array[InternalRow] = rows.take(n).toArray

  override def simpleString(maxFields: Int): String = ReportRelation.describe(source)

  /** In the format that the operators above expect. */
  private def rows: Seq[InternalRow] = {
    val unsafe = UnsafeProjection.create(output, output)
    source.rows(session, shared).map(row => unsafe(row).copy())
  }
}
