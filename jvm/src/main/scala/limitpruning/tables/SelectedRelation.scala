package limitpruning.tables

import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}

import limitpruning.shims.SparkShims

/** A Parquet relation with a [[SelectedIndex]]. The rule creates it, and the strategy plans it. */
object SelectedRelation {

  def unapply(plan: LogicalPlan): Option[(LogicalRelation, SelectedIndex)] = plan match {
    case IndexedRelation(logical, index: SelectedIndex) => Some((logical, index))
    case _ => None
  }

  /** Replaces the file index of `leaf` by `index`, and its catalog statistics by those of the selection. */
  def replaceIn(plan: LogicalPlan, leaf: LogicalRelation, index: SelectedIndex): LogicalPlan = {
    val selection = index.chosen.selection
    val rows = if (selection.unseen.isEmpty) Some(BigInt(selection.rows)) else None
    val statistics = CatalogStatistics(BigInt(selection.bytes), rows)
    replace(plan, leaf, index, Some(statistics))
  }

  private[tables] def replace(
      plan: LogicalPlan,
      leaf: LogicalRelation,
      index: FileIndex,
      statistics: Option[CatalogStatistics]
  ): LogicalPlan = {
    val catalogTable = leaf.catalogTable
      .map(table => statistics.fold(table)(CatalogStats.replaceIn(table, _)))
    plan.transformDown {
      case same: LogicalRelation if same eq leaf =>
        withLocation(leaf, index).copy(catalogTable = catalogTable)
    }
  }

  /**
   * Restores the original file index of each such relation in the plan. Spark then plans it as without the extension.
   */
  def restoreIn(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case SelectedRelation(logical, index) => withLocation(logical, index.original)
  }

  private[tables] def withLocation(logical: LogicalRelation, location: FileIndex): LogicalRelation =
    logical.relation match {
      case files: HadoopFsRelation =>
        logical.copy(relation = files.copy(location = location)(files.sparkSession))
      case _ => logical
    }
}

/**
 * Replaces the statistics of a catalog table, in every supported Spark line. Spark lines differ in the number of fields
 * of a catalog table.
 */
private[limitpruning] object CatalogStats {

  /** @return the table with `stats`; the same table if its class has no constructor with all fields */
  def replaceIn(table: CatalogTable, stats: CatalogStatistics): CatalogTable = {
    val fields = table.productIterator.map(_.asInstanceOf[AnyRef]).toArray
    val constructor = classOf[CatalogTable].getConstructors.find(_.getParameterCount == fields.length)
    SparkShims.elementNames(table).indexOf("stats") match {
      case -1 => table
      case index =>
        constructor.fold(table)(_.newInstance(fields.updated(
          index,
          Some(stats)
        ): _*).asInstanceOf[CatalogTable])
    }
  }
}
