package limitpruning.catalyst

import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData, Command, LogicalPlan, OverwriteByExpression, Union
}
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.execution.command.InsertIntoDataSourceDirCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import limitpruning.select.Reason

/**
 * The queries of writes to directories, and to tables that are written by data source V1, such as those of Delta. Spark plans
 * the analyzed query of such a write again, as a query of its own.
 */
private[catalyst] object QueriesOfWrites {

  /**
   * Several commands, in which no LIMIT of such a query is pruned: `FROM … INSERT … INSERT …` copies its FROM, and each copy
   * would be decided alone. Changes nothing else.
   */
  def marked(union: Union): LogicalPlan =
    // Not `withNewChildren`: marks are no part of a comparison of plans.
    if (union.children.forall(_.isInstanceOf[Command]))
      union.copy(children = union.children.map(withoutLimits))
    else union

  private def queryOf(command: LogicalPlan): Option[LogicalPlan] = command match {
    case write: AppendData if isByV1(write.table) => write.analyzedQuery
    case write: OverwriteByExpression if isByV1(write.table) => write.analyzedQuery
    case write: InsertIntoDataSourceDirCommand => Some(write.query)
    case _ => None
  }

  private def isByV1(table: NamedRelation): Boolean = table match {
    case relation: DataSourceV2Relation =>
      relation.table.capabilities.contains(TableCapability.V1_BATCH_WRITE)
    case _ => false
  }

  private def withoutLimits(command: LogicalPlan): LogicalPlan = queryOf(command).fold(command) { query =>
    // Other plans may contain the nodes of the query.
    val copy = query.clone()
    NoPruningHint.markTables(copy, Reason.RepeatedLimit)
    // Versions of Spark differ in the fields of a write.
    val fields = command.productIterator.map {
      case Some(same: LogicalPlan) if same eq query => Some(copy)
      case same: LogicalPlan if same eq query => copy
      case field => field.asInstanceOf[AnyRef]
    }
    command.makeCopy(fields.toArray)
  }
}
