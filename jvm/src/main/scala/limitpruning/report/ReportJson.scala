package limitpruning.report

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

/** Reports as JSON. The keys are those of the classes of the same names in `limit_pruning`. */
private[report] object ReportJson {

  /** Unknown is null. */
  type Fields = java.util.Map[String, Any]

  private val mapper = new ObjectMapper

  def of(report: PruningReport): String = write(fields("limits" -> report.limits.map(fieldsOf)))

  def of(queries: Seq[QueryReport]): String = write(fields("queries" -> queries.map { query =>
    fields(
      "execution_id" -> query.executionId,
      "description" -> query.description,
      "started" -> query.started,
      "ended" -> query.ended,
      "failed" -> query.failed,
      "limits" -> query.report.limits.map(fieldsOf)
    )
  }))

  def write(fields: Fields): String = mapper.writeValueAsString(fields)

  /** Options and sequences become what JSON has for them. */
  def fields(entries: (String, Any)*): Fields = {
    val all = new java.util.LinkedHashMap[String, Any]
    for ((name, value) <- entries) all.put(name, plain(value))
    all
  }

  def fieldsOf(limit: LimitReport): Fields = fields(
    "table" -> limit.table,
    "limit" -> limit.limit,
    "order_by" -> limit.order.map(_.key),
    "bound" -> limit.order.flatMap(_.bound),
    "rows_certain" -> limit.order.flatMap(_.rowsCertain),
    "predicate" -> limit.predicate,
    "covered" -> limit.covered,
    "reason" -> limit.reason.map(reason => fields("code" -> reason.code, "message" -> reason.message)),
    "row_groups_total" -> limit.rowGroups.map(_.total),
    "row_groups_matched" -> limit.rowGroups.map(_.matched),
    "row_groups_fully_matched" -> limit.rowGroups.map(_.fullyMatched),
    "row_groups_dropped" -> limit.order.flatMap(_.rowGroupsDropped),
    "row_groups_scanned" -> limit.rowGroups.flatMap(_.scanned),
    "files_total" -> limit.files.map(_.total),
    "files_looked_at" -> limit.files.map(_.lookedAt),
    "footers_kept" -> limit.files.map(_.footersKept),
    "files_scanned" -> limit.files.flatMap(_.scanned),
    "bytes_total" -> limit.files.map(_.bytes),
    "rows_to_read" -> limit.rowsToRead,
    "row_ranges" -> limit.rowRanges,
    "rows_cut" -> limit.rowsCut,
    "pages_skipped" -> limit.pagesSkipped,
    "no_page_skipping" -> limit.noPageSkipping,
    "bytes_to_read" -> limit.bytesToRead,
    "planning_ms" -> limit.planningMs,
    "row_filter_skipped" -> limit.rowFilterSkipped,
    "rows_read" -> limit.rowsRead,
    "row_groups_read" -> limit.rowGroupsRead,
    "row_groups_skipped" -> limit.rowGroupsSkipped,
    "bytes_read" -> limit.bytesRead,
    "row_groups" -> limit.map.rowGroups.map(fieldsOf),
    "row_groups_omitted" -> limit.map.omitted
  )

  def fieldsOf(rowGroup: RowGroupReport): Fields = fields(
    "file" -> rowGroup.file,
    "ordinal" -> rowGroup.ordinal,
    "rows" -> rowGroup.rows,
    "bytes" -> rowGroup.bytes,
    "state" -> rowGroup.state,
    "decided_by" -> rowGroup.decidedBy,
    "why" -> rowGroup.why,
    "facts" -> rowGroup.facts,
    "chosen" -> rowGroup.rowsToRead.nonEmpty,
    "rows_to_read" -> rowGroup.rowsToRead.getOrElse(0L)
  )

  private def plain(value: Any): Any = value match {
    case Some(known) => plain(known)
    case None => null
    case several: Seq[_] => several.map(plain).asJava
    case other => other
  }
}
