package limitpruning.report

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.internal.SQLConf

import limitpruning.catalyst.MatchLimit
import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.search.InspectTable
import limitpruning.tables.SelectedRelation

/** Starts to inspect the table of a query with one LIMIT. The query is planned for this, but does not run. */
private[report] object BeginInspection {

  /** @return the inspection, or the reason why there is nothing to inspect */
  def apply(
      query: QueryExecution,
      session: SparkSession,
      shared: SharedState,
      mostRowGroups: Int
  ): Either[String, Inspection] = {
    val conf = SparkSessions.onServer(session).sessionState.conf
    val plain = plan(query, session, enabled = false)(_.optimizedPlan)
    scanOf(plain).toRight(NoScan).flatMap(_.left.map(_.message)).map { scan =>
      val (planned, selection) = plan(query, session, enabled = true) { execution =>
        val selected = execution.optimizedPlan.collectFirst { case SelectedRelation(_, index) =>
          index.chosen.selection
        }
        (DescribeQuery(execution, mostRowGroups = 0).limits.head, selected)
      }
      new Inspection(new InspectTable(scan, session, shared.facts, conf), planned, selection, mostRowGroups)
    }
  }

  private val NoScan =
    "no Parquet file has to be read: the predicate is false for every row, or the table does not consist of " +
      "Parquet files that Spark reads"

  private def scanOf(plan: LogicalPlan) =
    plan.collectFirst { case limit: LocalLimit => limit }.flatMap(MatchLimit.of)

  private def plan[T](query: QueryExecution, session: SparkSession, enabled: Boolean)(
      use: QueryExecution => T
  ): T = {
    val state = SparkSessions.onServer(session).sessionState
    val conf = state.conf.clone()
    conf.setConf(LimitPruningConf.Enabled, enabled)
    SQLConf.withExistingConf(conf)(use(state.executePlan(query.analyzed)))
  }
}
