package limitpruning.tables

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetScan

import limitpruning.search.Table
import limitpruning.select.Reason

/** Finds the tables over which a LIMIT can be pruned. */
object Tables {

  /** @return the table that a node of a plan reads, or the reason why it is not supported; `None` for any other node */
  def of(plan: LogicalPlan): Option[Either[Reason, Table]] = plan match {
    case relation: DataSourceV2ScanRelation if relation.scan.isInstanceOf[ParquetScan] =>
      Some(Left(Reason.DataSourceV2))
    case other =>
      ParquetTable.of(other).map(table => DeltaLake.table(table.leaf, table.relation).getOrElse(Right(table)))
  }
}
