package limitpruning.report

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.internal.SQLConf

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
    plan(query, session, enabled = false)(FindScan(_)).map { scan =>
      val (planned, selection) = plan(query, session, enabled = true) { execution =>
        val selected = execution.optimizedPlan.collectFirst { case SelectedRelation(_, index) =>
          index.chosen.selection
        }
        (DescribeQuery(execution, mostRowGroups = 0).limits.head, selected)
      }
      new Inspection(new InspectTable(scan, session, shared.facts, conf), planned, selection, mostRowGroups)
    }
  }

  private def plan[T](query: QueryExecution, session: SparkSession, enabled: Boolean)(
      use: QueryExecution => T
  ): T = {
    val state = SparkSessions.onServer(session).sessionState
    val conf = state.conf.clone()
    conf.setConf(LimitPruningConf.Enabled, enabled)
    SQLConf.withExistingConf(conf)(use(state.executePlan(query.analyzed)))
  }
}
