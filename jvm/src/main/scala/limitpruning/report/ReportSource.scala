package limitpruning.report

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{CommandExecutionMode, QueryExecution}
import org.apache.spark.sql.types.StructType

import limitpruning.conf.SparkSessions

/**
 * What a table function returns. It makes its rows when its query runs, so each run sees the state of that time. It has no
 * state of its own.
 */
private[report] sealed abstract class ReportSource(val schema: StructType) extends Product with Serializable {

  /** The name of the function. */
  def function: String

  /** Makes the rows, on the driver. */
  def rows(session: SparkSession, shared: SharedState): Seq[InternalRow]
}

private[report] object ReportSource {

  /**
   * The queries of the session that asks. On a server that users share, the predicates of others are not shown.
   *
   * @param most the maximum number of queries, the latest ones
   */
  final case class Queries(function: String, most: Int)
      extends ReportSource(ReportSchemas.QueryWithSums.sql) {

    override def rows(session: SparkSession, shared: SharedState): Seq[InternalRow] = {
      awaitEvents(session)
      shared.history.queries.filter(_.ranIn(SparkSessions.onServer(session))).takeRight(most)
        .map(ReportSchemas.QueryWithSums.row)
    }
  }

  final case class Sums(function: String) extends ReportSource(ReportSchemas.AllQueries.sql) {

    override def rows(session: SparkSession, shared: SharedState): Seq[InternalRow] = {
      awaitEvents(session)
      Seq(ReportSchemas.AllQueries.row(shared.totals))
    }
  }

  /** @param query the query that is described, analyzed; it does not run */
  final case class Limits(function: String, query: LogicalPlan)
      extends ReportSource(ReportSchemas.Limit.sql) {

    override def rows(session: SparkSession, shared: SharedState): Seq[InternalRow] =
      DescribeQuery(executionOf(query, session), ReportBridge.MostRowGroups).limits
        .map(ReportSchemas.Limit.row)
  }

  /** @param query the table with its predicate and a LIMIT, analyzed; it does not run */
  final case class RowGroups(function: String, query: LogicalPlan, maxFiles: Int)
      extends ReportSource(ReportSchemas.RowGroup.sql) {

    override def rows(session: SparkSession, shared: SharedState): Seq[InternalRow] = {
      // One more shows that there are too many.
      val inspection = begin(function, query, session, shared, MostRowGroups + 1)
      inspectAll(inspection, maxFiles) {
        if (inspection.rowGroups > MostRowGroups)
          throw new LimitPruningException(
            s"$function found more than $MostRowGroups row groups, the most that it returns, in ${inspection.files} files. " +
              "Set max_files to inspect fewer files, or add a predicate on partition columns."
          )
      }
      inspection.details.map(ReportSchemas.RowGroup.row)
    }
  }

  /** @param query as for [[RowGroups]] */
  final case class Summary(function: String, query: LogicalPlan, maxFiles: Int)
      extends ReportSource(ReportSchemas.OfInspection.sql) {

    override def rows(session: SparkSession, shared: SharedState): Seq[InternalRow] = {
      val inspection = begin(function, query, session, shared, ReportBridge.MostRowGroups)
      inspectAll(inspection, maxFiles)(())
      Seq(ReportSchemas.OfInspection.row(inspection))
    }
  }

  /** The maximum number of rows that an inspection returns. Each needs about one kilobyte of the driver's memory. */
  private val MostRowGroups = 100000

  private val FilesAStep = 32

  private def awaitEvents(session: SparkSession): Unit =
    ListenerEvents.await(session.sparkContext, ReportBridge.PatienceMillis)

  /** The execution of an analyzed query. Commands in it do not run. */
  private def executionOf(query: LogicalPlan, session: SparkSession): QueryExecution =
    SparkSessions.onServer(session).sessionState.executePlan(query, CommandExecutionMode.SKIP)

  private def begin(
      function: String,
      query: LogicalPlan,
      session: SparkSession,
      shared: SharedState,
      mostRowGroups: Int
  ): Inspection =
    BeginInspection(executionOf(query, session), session, shared, mostRowGroups)
      .fold(problem => throw new LimitPruningException(s"$function: $problem"), identity)

  /** @param check runs after each step */
  private def inspectAll(inspection: Inspection, maxFiles: Int)(check: => Unit): Unit = {
    val target = inspection.files.min(maxFiles)
    var done = 0
    while (done < target) {
      done = inspection.inspect(FilesAStep.min(target - done))
      check
    }
  }
}
