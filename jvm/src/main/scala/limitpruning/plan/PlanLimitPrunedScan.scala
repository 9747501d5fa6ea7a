package limitpruning.plan

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.Strategy
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.FileSourceStrategy

import limitpruning.scan.{LimitPrunedScanExec, NoteTopKeysExec}

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
      val planned = FileSourceStrategy(filtered).map(_.transformUp { case scan: FileSourceScanExec =>
        LimitPrunedScanExec(scan, index.chosen, index.look)
      })
      index.noteKeys.fold(planned)(key => planned.map(noting(key, index.chosen.limit)))
    case ScanOperation(_, _, _, SelectedRelation(_, _)) =>
      FileSourceStrategy(SelectedRelation.restoreIn(plan))
    case _ => Nil
  }

  /** Where the key can be told from the rows that the scan's filter passes, it is noted while they pass. */
  private def noting(key: SortOrder, limit: Int)(plan: SparkPlan): SparkPlan =
    if (limit <= NoteTopKeysExec.MostKeys && key.references.subsetOf(plan.outputSet))
      NoteTopKeysExec(key, limit, plan)
    else plan
}
