package limitpruning.report

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

/**
 * Converts reports to JSON. The keys are those of the Python classes of the same names in `limit_pruning`.
 */
private[report] object ReportJson {

  /** The fields of a JSON object. A value that is not known is null. */
  type Fields = java.util.Map[String, Any]

  private val mapper = new ObjectMapper

  def of(report: PruningReport): String = write(fields("limits" -> report.limits.map(fieldsOf)))

  def of(queries: Seq[QueryReport]): String = write(fields("queries" -> queries.map(fieldsOf)))

  def write(fields: Fields): String = mapper.writeValueAsString(fields)

  /** Converts options and sequences to JSON values. */
  def fields(entries: (String, Any)*): Fields = {
    val all = new java.util.LinkedHashMap[String, Any]
    for ((name, value) <- entries) all.put(name, plain(value))
    all
  }

  def fieldsOf(query: QueryReport): Fields = fields(
    "execution_id" -> query.executionId,
    "description" -> query.description,
    "started" -> query.started,
    "ended" -> query.ended,
    "failed" -> query.failed,
    "limits" -> query.report.limits.map(fieldsOf)
  )

  def fieldsOf(limit: LimitReport): Fields = fields(
    "table" -> limit.table,
    "limit" -> limit.limit,
    "predicate" -> limit.predicate,
    "order_by" -> limit.order.map(_.key),
    "threshold" -> limit.order.flatMap(_.threshold),
    "covered" -> limit.covered,
    "reason" -> limit.reason.map(reason => fields("code" -> reason.code, "message" -> reason.message)),
    "row_filter_skipped" -> limit.rowFilterSkipped,
    "files" -> fields(
      "pruned_by_log" -> limit.files.flatMap(_.prunedByLog),
      "total" -> limit.files.map(_.total),
      "inspected" -> limit.files.map(_.lookedAt),
      "footers_cached" -> limit.files.map(_.footersCached),
      "scanned" -> limit.files.flatMap(_.scanned),
      "reserve" -> limit.files.flatMap(_.reserve),
      "chosen" -> limit.files.fold(Seq.empty[String])(_.chosen)
    ),
    "row_groups" -> fields(
      "total" -> limit.rowGroups.map(_.total),
      "matched" -> limit.rowGroups.map(_.matched),
      "fully_matched" -> limit.rowGroups.map(_.fullyMatched),
      "dropped" -> limit.order.flatMap(_.rowGroupsDropped),
      "scanned" -> limit.rowGroups.flatMap(_.scanned),
      "reserve" -> limit.rowGroups.flatMap(_.reserve),
      "read" -> limit.rowGroupsRead,
      "skipped" -> limit.rowGroupsSkipped,
      "details" -> limit.map.rowGroups.map(fieldsOf),
      "omitted" -> limit.map.omitted
    ),
    "pages" -> fields("skipped" -> limit.pagesSkipped, "not_skipped_reason" -> limit.noPageSkipping),
    "rows" -> fields(
      "to_read" -> limit.rowsToRead,
      "ranges" -> limit.rowRanges,
      "cut" -> limit.rowsCut,
      "skipped" -> limit.rowsSkipped,
      "certain" -> limit.order.flatMap(_.rowsCertain),
      "verified" -> limit.rowsVerified,
      "read" -> limit.rowsRead
    ),
    "bytes" -> fields(
      "total" -> limit.files.map(_.bytes),
      "to_read" -> limit.bytesToRead,
      "read_first" -> limit.bytesReadFirst,
      "read" -> limit.bytesRead
    ),
    "time" -> fields("planning_ms" -> limit.planningMs)
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
    "scanned" -> rowGroup.rowsToRead.nonEmpty,
    "rows_to_read" -> rowGroup.rowsToRead.getOrElse(0L)
  )

  private def plain(value: Any): Any = value match {
    case Some(known) => plain(known)
    case None => null
    case several: Seq[_] => several.map(plain).asJava
    case other => other
  }
}
