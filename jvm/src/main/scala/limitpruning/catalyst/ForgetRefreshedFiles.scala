package limitpruning.catalyst

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
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
      // The partitions of a table may be at any location.
      case _: RefreshTableCommand => state.facts.forgetAll()
      case RefreshResource(path) =>
        val file = new Path(path)
        val system = file.getFileSystem(SparkSessions.hadoopConf(session, Map.empty))
        state.facts.forget(system.makeQualified(file))
      case _ => ()
    }
    Nil
  }
}
