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
final class Inspection private[report] (table: InspectedTable, planned: LimitReport, mostRowGroups: Int) {
  import Inspection._

  private val layouts = table.columns.map(column => new ColumnLayout(column, table.isPartition(column)))
  private val told = ArrayBuffer.empty[RowGroupReport]
  private var next, found, matched, fullyMatched = 0
  private var rows, rowsMatching, bytes = 0L

  def files: Int = table.files

  /** Number of row groups found so far. */
  private[report] def rowGroups: Int = found

  /** The row groups found so far, without those that are omitted. */
  private[report] def details: Seq[RowGroupReport] = told.toSeq

  /**
   * Inspects the next files.
   *
   * @param count the number of files
   * @return the number of files inspected so far
   */
  def inspect(count: Int): Int = {
    val until = (next + count).min(files)
    for (rowGroup <- table.inspect(next, until)) {
      if (told.size < mostRowGroups) told += rowGroup.describe()
      found += 1
      if (rowGroup.state != MatchState.NotMatching) matched += 1
      if (rowGroup.state == MatchState.FullyMatching) fullyMatched += 1
      rows += rowGroup.rows
      rowsMatching += rowGroup.rowsMatching
      bytes += rowGroup.bytes
      for (i <- layouts.indices) layouts(i).add(rowGroup.chunks(i))
    }
    next = until
    next
  }

  /** The results so far, as JSON. */
  def result: String = ReportJson.write(fields)

  /** The results so far. */
  private[report] def fields: ReportJson.Fields = ReportJson.fields(
    "report" -> ReportJson.fieldsOf(planned.copy(map = RowGroupMap.Empty)),
    "files" -> ReportJson.fields("total" -> files, "inspected" -> next),
    "row_groups" -> ReportJson.fields(
      "total" -> found,
      "matched" -> matched,
      "fully_matched" -> fullyMatched,
      "bytes" -> bytes,
      "details" -> told.toSeq.map(ReportJson.fieldsOf),
      "omitted" -> (found - told.size)
    ),
    "rows" -> ReportJson.fields("total" -> rows, "proved" -> rowsMatching),
    "columns" -> layouts.map(fieldsOf)
  )
}

private object Inspection {
  private def fieldsOf(layout: ColumnLayout): ReportJson.Fields = ReportJson.fields(
    "name" -> layout.column.name,
    "type" -> layout.column.dataType.sql,
    "is_partition" -> layout.isPartition,
    "with_min_max" -> layout.minMax,
    "with_null_count" -> layout.nullCounts,
    "with_page_index" -> layout.pageIndexes,
    "with_dictionary" -> layout.dictionaries,
    "with_bloom_filter" -> layout.bloomFilters,
    "overlap" -> layout.overlap
  )
}
