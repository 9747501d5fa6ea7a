package limitpruning.report

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.internal.SQLConf

import limitpruning.catalyst.MatchLimit
import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.search.InspectTable
import limitpruning.tables.SelectedRelation

/** Begins to look at the table of a query with one LIMIT, which is planned for that and not run. */
private[report] object BeginInspection {

  /** @return why there is nothing to look at, or the look */
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
    "no Parquet file has to be read: the predicate is false for every row, or the table is no Parquet that " +
      "Spark reads"

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
