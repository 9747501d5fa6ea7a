package limitpruning.report

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution

import limitpruning.catalyst.PruneLimits
import limitpruning.conf.SparkSessions

/**
 * The one class that Python calls, through py4j: plain types in, plain types out. Stateless.
 */
final class ReportBridge {
  import ReportBridge._

  /** The extension's version, or "unknown" outside of its JAR. */
  def version: String = Option(getClass.getPackage.getImplementationVersion).getOrElse("unknown")

  /** Whether queries of this session go through the rule (which `spark.limitPruning.enabled` may still switch off). */
  def isActive(session: SparkSession): Boolean = state(session).nonEmpty

  /** How many times planning failed unexpectedly since the application started. */
  def planningFailures(session: SparkSession): Long =
    state(session).fold(0L)(_.totals.planningFailures.sum)

  /** The last queries with a LIMIT over Parquet that ran in the application as JSON, the oldest first. */
  def history(session: SparkSession): String = {
    ListenerEvents.await(session.sparkContext, PatienceMillis)
    ReportJson.of(state(session).toSeq.flatMap(_.history.queries))
  }

  /** What was done for all queries of the application, by name, as JSON. */
  def totals(session: SparkSession): String = {
    ListenerEvents.await(session.sparkContext, PatienceMillis)
    val totals = state(session).toSeq.map(_.totals)
    ReportJson.write(ReportJson.fields(totals.flatMap(all =>
      all.names.map(name => name -> all.value(name))
    ): _*))
  }

  /** The report on a query as JSON; plans the query where that has not been done, never runs it. */
  def report(execution: QueryExecution): String =
    ReportJson.of(DescribeQuery(execution, MostRowGroups))

  /**
   * Begins to look at the table of a query with one LIMIT, which is planned and not run.
   *
   * @throws IllegalArgumentException where there is nothing to look at, with a sentence that says why
   */
  def inspect(execution: QueryExecution, session: SparkSession): Inspection =
    state(session)
      .toRight("the extension is not active in this session")
      .flatMap(BeginInspection(execution, session, _, MostRowGroups))
      .fold(problem => throw new IllegalArgumentException(problem), identity)

  /** Empty where the extension is not active. */
  private def state(session: SparkSession): Option[SharedState] =
    SparkSessions.onServer(session).sessionState.optimizer.preCBORules.collectFirst {
      case PruneLimits(_, state: SharedState) => state
    }
}

private object ReportBridge {

  /** Row groups that are told of at most, for each LIMIT. */
  private val MostRowGroups = 5000

  /** For listeners to hear of queries that have just ended. */
  private val PatienceMillis = 2000L
}
