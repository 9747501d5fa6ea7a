package limitpruning.plan

import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.Strategy
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.FileSourceStrategy

import limitpruning.scan.LimitPrunedScanExec

/**
 * Plans a scan of a selection. Every selected row satisfies the predicate, so neither the Filter nor the columns
 * that only it needs are planned. Where the filters are no longer those that were proved (a runtime
 * filter came in, or Python UDFs moved one), the scan is planned as it would be without us.
 */
object PlanLimitPrunedScan extends Strategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ScanOperation(projections, Nil, filters, SelectedRelation(logical, index))
        if index.cover.isFor(filters) =>
      FileSourceStrategy(Project(projections, logical)).map(_.transformUp { case scan: FileSourceScanExec =>
        LimitPrunedScanExec(scan, index.cover)
      })
    case ScanOperation(_, _, _, SelectedRelation(_, _)) =>
      FileSourceStrategy(SelectedRelation.restoreIn(plan))
    case _ => Nil
  }
}
