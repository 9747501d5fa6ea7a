package limitpruning.catalyst
import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import limitpruning.search.LimitedScan

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

/** Puts other statistics on a catalog table, in whatever minor of Spark: these differ in how many fields a table has. */
private[limitpruning] object CatalogStats {

  /** @return the table with `stats`; where its class is not made as expected, as it is */
  def replaceIn(table: CatalogTable, stats: CatalogStatistics): CatalogTable = {
    val fields = table.productIterator.map(_.asInstanceOf[AnyRef]).toArray
    val constructor = classOf[CatalogTable].getConstructors.find(_.getParameterCount == fields.length)
    table.productElementNames.indexOf("stats") match {
      case -1 => table
      case index =>
        constructor.fold(table)(_.newInstance(fields.updated(
          index,
          Some(stats)
        ): _*).asInstanceOf[CatalogTable])
    }
  }
}
