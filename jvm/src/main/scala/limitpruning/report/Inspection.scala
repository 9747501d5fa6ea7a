package limitpruning.report

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.predicate.MatchState

/** Starts to inspect the table of a query with one LIMIT. The query is planned for this, but does not run. */
private[report] object BeginInspection {

  /** @return the inspection, or the reason why there is nothing to inspect */
  def apply(
      query: QueryExecution,
      session: SparkSession,
      shared: SharedState,
      mostRowGroups: Int
  ): Either[String, Inspection] =
    plan(query, session, enabled = false)(FindScan(_, session, shared.facts)).map { tableOf =>
      plan(query, session, enabled = true) { execution =>
        val table = tableOf(execution.optimizedPlan)
        new Inspection(table, DescribeQuery(execution, mostRowGroups = 0).limits.head, mostRowGroups)
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

/**
 * Inspects all row groups of a table, in steps, so that the caller can show the progress and stop. Python
 * calls it through py4j. Not thread-safe.
 *
 * @param planned the report on the LIMIT as it is planned
 */
final class Inspection private[report] (
    table: InspectedTable,
    private[report] val planned: LimitReport,
    mostRowGroups: Int
) {
  private[report] val layouts: Seq[ColumnLayout] =
    table.columns.map(column => new ColumnLayout(column, table.isPartition(column)))
  private val told = ArrayBuffer.empty[RowGroupReport]

  /** The numbers so far. */
  private[report] var filesInspected, rowGroups, matched, fullyMatched = 0
  private[report] var rows, rowsMatching, bytes = 0L

  def files: Int = table.files

  /** The row groups found so far, without those that are omitted. */
  private[report] def details: Seq[RowGroupReport] = told.toSeq

  /**
   * Inspects the next files.
   *
   * @param count the number of files
   * @return the number of files inspected so far
   */
  def inspect(count: Int): Int = {
    val until = (filesInspected + count).min(files)
    for (rowGroup <- table.inspect(filesInspected, until)) {
      if (told.size < mostRowGroups) told += rowGroup.describe()
      rowGroups += 1
      if (rowGroup.state != MatchState.NotMatching) matched += 1
      if (rowGroup.state == MatchState.FullyMatching) fullyMatched += 1
      rows += rowGroup.rows
      rowsMatching += rowGroup.rowsMatching
      bytes += rowGroup.bytes
      for (i <- layouts.indices) layouts(i).add(rowGroup.chunks(i))
    }
    filesInspected = until
    filesInspected
  }

  /** The results so far, as JSON. */
  def result: String = ReportJson.write(ReportSchemas.OfInspection.fields(this))
}
