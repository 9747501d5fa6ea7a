package limitpruning.plan

import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

/** A Parquet relation that is read through a [[SelectedFileIndex]]: what the rule makes and the strategy plans. */
object SelectedRelation {

  def unapply(plan: LogicalPlan): Option[(LogicalRelation, SelectedFileIndex)] = plan match {
    case ParquetScan(logical, relation) =>
      relation.location match {
        case index: SelectedFileIndex => Some((logical, index))
        case _ => None
      }
    case _ => None
  }

  /** The plan with the scanned relation read through `index`, and the statistics that follow from it. */
  def replaceIn(plan: LogicalPlan, scan: LimitedScan, index: SelectedFileIndex): LogicalPlan = {
    val selection = index.chosen.selection
    val rows = if (selection.unseen.isEmpty) Some(BigInt(selection.rows)) else None
    val statistics = CatalogStatistics(BigInt(selection.bytes), rows)
    val selected = scan.logical.copy(
      relation = scan.relation.copy(location = index)(scan.relation.sparkSession),
      catalogTable = scan.logical.catalogTable.map(CatalogStats.replaceIn(_, statistics))
    )
    plan.transformDown { case leaf: LogicalRelation if leaf eq scan.logical => selected }
  }

  /** The plan as it would be without us. */
  def restoreIn(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case SelectedRelation(logical, index) =>
      logical.relation match {
        case fs: HadoopFsRelation =>
          logical.copy(relation = fs.copy(location = index.original)(fs.sparkSession))
        case _ => logical
      }
  }
}
