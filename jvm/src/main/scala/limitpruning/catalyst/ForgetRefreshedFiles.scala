package limitpruning.catalyst

import scala.util.Try

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTableType
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.Strategy
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.command.RefreshTableCommand
import org.apache.spark.sql.execution.datasources.RefreshResource

import limitpruning.conf.SparkSessions

/**
 * Removes files from the cache on `REFRESH TABLE t` and `REFRESH 'path'`. It plans nothing: Spark plans and runs these
 * commands. A planner strategy is the only place where an extension sees them.
 */
final case class ForgetRefreshedFiles(session: SparkSession, state: PlanningState) extends Strategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    plan match {
      case RefreshTableCommand(table) => location(table).fold(state.facts.forgetAll())(forget)
      case RefreshResource(path) => forget(new Path(path))
      case _ => ()
    }
    Nil
  }

  private def forget(path: Path): Unit = {
    val system = path.getFileSystem(SparkSessions.hadoopConf(session, Map.empty))
    state.facts.forget(system.makeQualified(path))
  }

  /**
   * The directory of a table. None if it may have files elsewhere: partitions in the catalog may be at any location,
   * and a view may read any table.
   */
  private def location(table: TableIdentifier): Option[Path] = {
    val catalog = SparkSessions.onServer(session).sessionState.catalog
    if (catalog.isTempView(table)) None
    else
      Try(catalog.getTableMetadata(table)).toOption
        .filter(found => found.tableType != CatalogTableType.VIEW && !found.tracksPartitionsInCatalog)
        .flatMap(_.storage.locationUri)
        .map(new Path(_))
  }
}
