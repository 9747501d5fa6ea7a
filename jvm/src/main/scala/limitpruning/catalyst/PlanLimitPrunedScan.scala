package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{And, SortOrder}
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.Strategy
import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.FileSourceStrategy

import limitpruning.scan.{LimitPrunedScanExec, NoteTopKeysExec}
import limitpruning.tables.{ScanClauses, ScanContract, SelectedFileIndex, SelectedRelation}

/**
 * Plans a scan of a selection. Where every selected row satisfies the predicate, neither the Filter nor the columns
 * that only it needs are planned; where not, all filters are evaluated above the scan. Where the filters are no longer those
 * that the rows were chosen for (a runtime filter came in, or Python UDFs moved one), the scan is planned as it would be
 * without us. The same files, whole and with all filters, are read by Spark's own scan where an engine looks for that.
 */
final case class PlanLimitPrunedScan(session: SparkSession) extends Strategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ScanOperation(projections, Nil, filters, SelectedRelation(logical, index))
        if index.chosen.isChosenFor(filters) =>
      if (NativeEngines.reasonForFileScan(session, index.chosen.selection).nonEmpty) FileSourceStrategy(plan)
      else {
        val filtered = if (index.chosen.allRowsMatch) Project(projections, logical) else plan
        val planned = FileSourceStrategy(filtered)
        val hasUnknownField = planned.exists(_.exists(PlanLimitPrunedScan.unknownField(_).nonEmpty))
        if (hasUnknownField) FileSourceStrategy(SelectedRelation.restoreIn(plan))
        else planned.map(replaceScan(_, index))
      }
    case ScanOperation(_, _, _, SelectedRelation(_, _)) =>
      FileSourceStrategy(SelectedRelation.restoreIn(plan))
    case _ => Nil
  }

  private def replaceScan(planned: SparkPlan, index: SelectedFileIndex): SparkPlan = {
    val replaced = planned.transformUp { case scan: FileSourceScanExec =>
      withAllFilters(scan, LimitPrunedScanExec(scan, index.chosen, index.settings, index.plan.look))
    }
    index.plan.notedSortKey.fold(replaced)(noting(_, index.chosen.limit, replaced))
  }

  /** Spark leaves filters on partition columns to its scan alone, which prunes directories by them. Ours does not. */
  private def withAllFilters(scan: FileSourceScanExec, ours: LimitPrunedScanExec): SparkPlan =
    scan.partitionFilters.reduceOption(And(_, _)).fold[SparkPlan](ours)(FilterExec(_, ours))

  /** Where the key can be told from the rows that the scan's filter passes, it is noted while they pass. */
  private def noting(key: SortOrder, limit: Int, plan: SparkPlan): SparkPlan =
    if (limit <= NoteTopKeysExec.MostKeys && key.references.subsetOf(plan.outputSet))
      NoteTopKeysExec(key, limit, plan)
    else plan
}

object PlanLimitPrunedScan {

  /** A field of Spark's scan node about which nobody has decided; none of other nodes. */
  def unknownField(plan: SparkPlan): Option[String] = plan match {
    case scan: FileSourceScanExec => ScanContract.undecided(scan, ScanClauses.fileSourceScan)
    case _ => None
  }
}
