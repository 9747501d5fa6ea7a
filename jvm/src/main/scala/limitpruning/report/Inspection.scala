package limitpruning.report

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate, BaseEvalPython, Filter, GlobalLimit, Join, LeafNode, LocalLimit, LocalRelation, LogicalPlan,
  Offset, Project, Sort, Tail, Union, Window
}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.catalyst.MatchLimit
import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.predicate.MatchState
import limitpruning.search.{InspectTable, LimitedScan}
import limitpruning.select.{Reason, Selection}
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

/** Finds the one Parquet scan below the LIMIT of a query that is inspected. */
private[report] object FindScan {

  /** @return the scan, or a sentence that says what the query contains instead, and what to do */
  def apply(query: QueryExecution): Either[String, LimitedScan] =
    // The optimizer merges LIMITs, and removes a LIMIT of at least as many rows as there are. So limits are counted before.
    if (limits(query.withCachedData) > 1)
      Left(notInspected(
        "more than one LIMIT or OFFSET (inspect adds a LIMIT)",
        "remove the others, and set the limit of inspect"
      ))
    else {
      val plan = query.optimizedPlan
      val limit = plan.collectFirst { case limit: LocalLimit => limit }
      limit.flatMap(MatchLimit.of) match {
        case Some(Right(scan)) if !scan.waitsForSubqueries => Right(scan)
        case Some(Right(_)) => Left(notInspected(Reason.Subquery))
        case Some(Left(Reason.NotPlanned)) =>
          Left(
            "tables of Apache Iceberg are not inspected: their files are chosen by manifests, not by footers."
          )
        case Some(Left(reason)) if !reason.isInstanceOf[Reason.OperatorBetween] => Left(notInspected(reason))
        case _ => Left(obstacle(limit.fold(plan)(_.child)))
      }
    }

  private def notInspected(reason: Reason): String =
    s"LIMITs over this query are not pruned (${reason.code}): ${reason.message}."

  private def limits(plan: LogicalPlan): Int = plan.collect {
    case limit: LocalLimit => limit
    case offset: Offset => offset
    case tail: Tail => tail
  }.size

  private def obstacle(plan: LogicalPlan): String = plan match {
    case Project(_, child) => obstacle(child)
    case Filter(_, child) => obstacle(child)
    case GlobalLimit(_, child) => obstacle(child)
    case empty: LocalRelation if empty.data.isEmpty =>
      "No file has to be read: the predicate is false for every row, or the table has no rows."
    case _: InMemoryRelation =>
      notInspected(
        "a cached DataFrame (InMemoryRelation)",
        "call unpersist() first, or inspect the table itself"
      )
    case _: Union => notInspected("a UNION", "inspect each of its tables on its own")
    case _: Join => notInspected("a JOIN", "inspect each of its tables on its own")
    case _: Aggregate => notInspected("an aggregation (Aggregate)", "inspect the table itself")
    case _: Sort => notInspected("an ORDER BY (Sort)", "inspect the query without it")
    case udf: BaseEvalPython =>
      notInspected(s"a Python UDF (${udf.nodeName})", "inspect the query without it")
    case _: Window => notInspected("a window function (Window)", "inspect the table itself")
    case relation: LogicalRelation => notInspected(source(relation), "inspect a Parquet table")
    case leaf: LeafNode =>
      notInspected(s"${leaf.nodeName}, which is no Parquet table", "inspect a Parquet table")
    case other => notInspected(other.nodeName, "inspect the table itself")
  }

  private def source(relation: LogicalRelation): String = relation.relation match {
    case files: HadoopFsRelation => s"a table of the format ${files.fileFormat}"
    case other => s"a table that is read by ${other.getClass.getSimpleName}"
  }

  private def notInspected(found: String, advice: String): String =
    s"The query contains $found. Supported are filters and projections over one Parquet table: $advice."
}

/**
 * Inspects all row groups of a table, in steps, so that the caller can show the progress and stop. Python
 * calls it through py4j. Not thread-safe.
 *
 * @param planned the report on the LIMIT as it is planned
 * @param selection what the scan of the LIMIT reads, `None` if the LIMIT is not pruned
 */
final class Inspection private[report] (
    table: InspectTable,
    planned: LimitReport,
    selection: Option[Selection],
    mostRowGroups: Int
) {
  import Inspection._

  private val layouts = table.columns.map(column => new ColumnLayout(column, table.isPartition(column)))
  private val describe = new DescribeRowGroups(table.classify, selection, columns = table.predicateColumns)
  private val told = ArrayBuffer.empty[RowGroupReport]
  private var next, found, matched, fullyMatched = 0
  private var rows, rowsMatching, bytes = 0L

  def files: Int = table.files.size

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
    val wave = table.files.slice(next, next + count)
    for (inspected <- table.inspect(wave)) {
      val file = inspected.file
      told ++= describe(Seq(file), mostRowGroups - told.size).rowGroups
      for ((rowGroup, ordinal) <- file.rowGroups.zipWithIndex) {
        found += 1
        rowGroup.state match {
          case MatchState.NotMatching =>
          case MatchState.PartiallyMatching => matched += 1
          case MatchState.FullyMatching =>
            matched += 1
            fullyMatched += 1
        }
        rows += file.footer.rowGroups(ordinal).getRowCount
        rowsMatching += rowGroup.matching.map(_.rows).sum
        bytes += file.footer.offsets.bytes(ordinal)
        for (i <- layouts.indices) layouts(i).add(inspected.chunks(ordinal)(i))
      }
      next += 1
    }
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
