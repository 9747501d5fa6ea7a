package limitpruning.plan

import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.Strategy
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.FileSourceStrategy

import limitpruning.scan.LimitPrunedScanExec

/**
 * Plans a scan of a selection. Where every selected row satisfies the predicate, neither the Filter nor the columns
 * that only it needs are planned. Where the filters are no longer those that the rows were chosen for (a runtime
 * filter came in, or Python UDFs moved one), the scan is planned as it would be without us.
 */
object PlanLimitPrunedScan extends Strategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ScanOperation(projections, Nil, filters, SelectedRelation(logical, index))
        if index.chosen.isFor(filters) =>
      val filtered = if (index.chosen.areProved) Project(projections, logical) else plan
      FileSourceStrategy(filtered).map(_.transformUp { case scan: FileSourceScanExec =>
        LimitPrunedScanExec(scan, index.chosen)
      })
    case ScanOperation(_, _, _, SelectedRelation(_, _)) =>
      FileSourceStrategy(SelectedRelation.restoreIn(plan))
    case _ => Nil
  }
}
