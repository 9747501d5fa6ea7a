package limitpruning.report

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution

import limitpruning.catalyst.PruneLimits
import limitpruning.conf.SparkSessions

/**
 * The only class that Python calls directly, through py4j. Parameters and results are of plain types.
 * Stateless.
 */
final class ReportBridge {
  import ReportBridge._

  /** The extension's version, or "unknown" outside of its JAR. */
  def version: String = Option(getClass.getPackage.getImplementationVersion).getOrElse("unknown")

  /** Whether the rule is installed in this session. `spark.limitPruning.enabled` may still switch it off. */
  def isActive(session: SparkSession): Boolean = state(session).nonEmpty

  /** The number of unexpected errors while planning since the application started. */
  def planningFailures(session: SparkSession): Long =
    state(session).fold(0L)(_.totals.planningFailures.sum)

  /** The last queries with a LIMIT over Parquet that ran in the application, as JSON, the oldest first. */
  def history(session: SparkSession): String = {
    ListenerEvents.await(session.sparkContext, PatienceMillis)
    ReportJson.of(state(session).toSeq.flatMap(_.history.queries))
  }

  /** The sums over all queries of the application, by name, as JSON. */
  def totals(session: SparkSession): String = {
    ListenerEvents.await(session.sparkContext, PatienceMillis)
    val totals = state(session).toSeq.map(_.totals)
    ReportJson.write(ReportJson.fields(totals.flatMap(all =>
      all.names.map(name => name -> all.value(name))
    ): _*))
  }

  /** The report on a query, as JSON. Plans the query if that has not been done. Never runs it. */
  def report(execution: QueryExecution): String =
    ReportJson.of(DescribeQuery(execution, MostRowGroups))

  /**
   * Starts to inspect the table of a query with one LIMIT. The query is planned, but does not run.
   *
   * @throws IllegalArgumentException if there is nothing to inspect; the message contains the reason
   */
  def inspect(execution: QueryExecution, session: SparkSession): Inspection =
    state(session)
      .toRight("the extension is not active in this session")
      .flatMap(BeginInspection(execution, session, _, MostRowGroups))
      .fold(problem => throw new IllegalArgumentException(problem), identity)

  /** The shared state. Empty if the extension is not active. */
  private def state(session: SparkSession): Option[SharedState] =
    SparkSessions.onServer(session).sessionState.optimizer.preCBORules.collectFirst {
      case PruneLimits(_, state: SharedState) => state
    }
}

private[report] object ReportBridge {

  /** The maximum number of row groups that are described for each LIMIT. */
  private[report] val MostRowGroups = 5000

  /**
   * The maximum time, in milliseconds, to wait until listeners have received queries that have just ended.
   */
  private[report] val PatienceMillis = 2000L
}
