package limitpruning.report

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

/**
 * Spark's walks of a physical plan, through adaptive execution, subqueries and reused exchanges. A class, since an object
 * would have a static method for each of the helper's, and those of one minor of Spark are not those of another.
 */
private[report] class PhysicalNodes extends AdaptiveSparkPlanHelper {

  override protected def allChildren(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case reused: ReusedExchangeExec => Seq(reused.child)
    case other => super.allChildren(other)
  }
}
