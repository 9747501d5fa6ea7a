package limitpruning.catalyst

import scala.util.Try

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTableType
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.command.RefreshTableCommand
import org.apache.spark.sql.execution.datasources.RefreshResource

import limitpruning.conf.SparkSessions
import limitpruning.shims.Strategy

/**
 * Removes files from the cache on `REFRESH TABLE t` and `REFRESH 'path'`. It plans nothing: Spark plans and runs these
 * commands. A planner strategy is the only place where an extension sees them.
 */
final case class ForgetRefreshedFiles(session: SparkSession, state: PlanningState) extends Strategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    plan match {
      case RefreshTableCommand(table) =>
        directory(table) match {
          case Some(directory) => state.facts.forget(directory)
          case None => state.facts.forgetAll()
        }
      case RefreshResource(path) => state.facts.forget(qualified(new Path(path), Map.empty))
      case _ => ()
    }
    Nil
  }

  private def qualified(path: Path, options: Map[String, String]): Path =
    path.getFileSystem(SparkSessions.hadoopConf(session, options)).makeQualified(path)

  /**
   * The directory of a table. None if the table may have files elsewhere: partitions in the catalog may be at any
   * location, a view may read any table, and a location may be a glob. None also if the file system does not start:
   * `REFRESH TABLE` must not fail for that.
   */
  private def directory(table: TableIdentifier): Option[Path] = {
    val catalog = SparkSessions.onServer(session).sessionState.catalog
    if (catalog.isTempView(table)) None
    else
      Try {
        val found = catalog.getTableMetadata(table)
        val isApart = found.tableType == CatalogTableType.VIEW || found.tracksPartitionsInCatalog
        for (uri <- found.storage.locationUri if !isApart && !uri.toString.exists("*?[{".contains(_)))
          yield qualified(new Path(uri), found.storage.properties)
      }.toOption.flatten
  }
}
