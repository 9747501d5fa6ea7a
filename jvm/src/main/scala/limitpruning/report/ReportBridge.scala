package limitpruning.report

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.QueryExecution

import limitpruning.SparkSessions
import limitpruning.plan.PruneRowGroupsByLimit

/**
 * The one class that Python calls, through py4j: plain types in, plain types out. Stateless.
 *
 * The keys of the JSON are those of `limit_pruning.LimitReport`.
 */
final class ReportBridge {

  /** The extension's version, or "unknown" outside of its JAR. */
  def version: String = Option(getClass.getPackage.getImplementationVersion).getOrElse("unknown")

  /** Whether queries of this session go through the rule (which `spark.limitPruning.enabled` may still switch off). */
  def isActive(session: SparkSession): Boolean = rules(session).nonEmpty

  /** How many times planning failed unexpectedly since the application started. */
  def planningFailures(session: SparkSession): Long = rules(session).map(_.shared.failures.sum).sum

  /** The report on a query as JSON; plans the query where that has not been done, never runs it. */
  def report(execution: QueryExecution): String = {
    val limits = new java.util.ArrayList[java.util.Map[String, Any]]
    DescribeQuery(execution).limits.foreach(limit => limits.add(fields(limit)))
    new ObjectMapper().writeValueAsString(java.util.Map.of("limits", limits))
  }

  private def rules(session: SparkSession): Seq[PruneRowGroupsByLimit] =
    SparkSessions.onServer(session).sessionState.optimizer.preCBORules.collect {
      case rule: PruneRowGroupsByLimit => rule
    }

  private def fields(limit: LimitReport): java.util.Map[String, Any] = {
    val fields = new java.util.LinkedHashMap[String, Any]
    def put(name: String, value: Any): Unit = {
      val _ =
        fields.put(name, value match { case Some(known) => known; case None => null; case plain => plain })
    }
    put("table", limit.table)
    put("limit", limit.limit)
    put("order_by", limit.order.map(_.key))
    put("bound", limit.order.flatMap(_.bound))
    put("rows_certain", limit.order.flatMap(_.rowsCertain))
    put("predicate", limit.predicate)
    put("covered", limit.covered)
    put(
      "reason",
      limit.reason.map(reason => java.util.Map.of("code", reason.code, "message", reason.message))
    )
    put("row_groups_total", limit.rowGroups.map(_.total))
    put("row_groups_matched", limit.rowGroups.map(_.matched))
    put("row_groups_fully_matched", limit.rowGroups.map(_.fullyMatched))
    put("row_groups_dropped", limit.order.flatMap(_.rowGroupsDropped))
    put("row_groups_scanned", limit.rowGroups.flatMap(_.scanned))
    put("files_total", limit.files.map(_.total))
    put("files_looked_at", limit.files.map(_.lookedAt))
    put("footers_kept", limit.files.map(_.footersKept))
    put("files_scanned", limit.files.flatMap(_.scanned))
    put("rows_to_read", limit.rowsToRead)
    put("row_ranges", limit.rowRanges)
    put("rows_cut", limit.rowsCut)
    put("pages_skipped", limit.pagesSkipped)
    put("no_page_skipping", limit.noPageSkipping)
    put("bytes_to_read", limit.bytesToRead)
    put("planning_ms", limit.planningMs)
    put("row_filter_skipped", limit.rowFilterSkipped)
    put("rows_read", limit.rowsRead)
    put("row_groups_read", limit.rowGroupsRead)
    put("row_groups_skipped", limit.rowGroupsSkipped)
    put("bytes_read", limit.bytesRead)
    fields
  }
}
