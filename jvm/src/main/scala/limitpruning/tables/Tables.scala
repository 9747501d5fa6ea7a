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
    // PruneV2Limits decides each LIMIT over Iceberg, and gives it a reason. Without a reason, the rule did not run.
    case relation: DataSourceV2ScanRelation if Iceberg.reads(relation) => Some(Left(Reason.NotSeen))
    case relation: DataSourceV2ScanRelation =>
      readerOf(relation).map(reader => Left(Reason.DataSourceV2(reader)))
    case other =>
      ParquetTable.of(other).map(table => DeltaLake.table(table.leaf, table.relation).getOrElse(Right(table)))
  }

  /** The name of the table that [[of]] finds; `None` if it has none. */
  def nameOf(plan: LogicalPlan): Option[String] = (of(plan), plan) match {
    case (Some(Right(table)), _) => Some(table.name)
    case (Some(_), relation: DataSourceV2ScanRelation) => Some(relation.relation.name)
    case _ => None
  }

  /**
   * A text that two nodes have in common if they read the same table, whether or not it is supported; `None` if the node reads no
   * table over which a LIMIT can be pruned. Two versions of a table have it in common, too.
   */
  def sourceOf(plan: LogicalPlan): Option[String] = plan match {
    case relation: DataSourceV2ScanRelation if Iceberg.reads(relation) => Some(relation.relation.name)
    case other => ParquetTable.of(other).map(_.name)
  }

  /** The filters that a table evaluates, and that Spark has removed from the plan. */
  def pushedFilter(plan: LogicalPlan): Option[String] = plan match {
    case relation: DataSourceV2ScanRelation if Iceberg.reads(relation) => Iceberg.filter(relation)
    case _ => None
  }

  /** Who reads a table through data source V2; `None` for a source that the extension has nothing to say about. */
  private def readerOf(relation: DataSourceV2ScanRelation): Option[String] = relation.scan match {
    case _: ParquetScan => Some("Spark")
    case _ =>
      val table = relation.relation.table.getClass.getName
      readers.collectFirst { case (name, reader) if table.startsWith(name) => reader }
  }

  private val readers = Seq("io.delta." -> "Delta Lake")
}
