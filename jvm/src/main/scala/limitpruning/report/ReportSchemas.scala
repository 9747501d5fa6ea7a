package limitpruning.report

import org.apache.spark.sql.types.{
  ArrayType, BooleanType, DoubleType, IntegerType, LongType, StringType, TimestampType
}

import limitpruning.report.ReportSchema.{Column, struct}
import limitpruning.select.Reason

/**
 * The columns of all reports. Columns of table functions, keys of JSON objects and attributes of the Python classes in
 * `limit_pruning` have the same names, in the same order.
 */
private[report] object ReportSchemas {

  private val reason = new ReportSchema[Reason](
    Column("code", StringType, _.code),
    Column("message", StringType, _.message)
  )

  /** A row group: the attributes of RowGroupReport. */
  val RowGroup = new ReportSchema[RowGroupReport](
    Column("file", StringType, _.file),
    Column("ordinal", IntegerType, _.ordinal),
    Column("rows", LongType, _.rows),
    Column("bytes", LongType, _.bytes),
    Column("state", StringType, _.state),
    Column("decided_by", StringType, _.decidedBy),
    Column("why", StringType, _.why),
    Column("facts", ArrayType(StringType), _.facts),
    Column("scanned", BooleanType, _.rowsToRead.nonEmpty),
    Column("rows_to_read", LongType, _.rowsToRead.getOrElse(0L))
  )

  /** A LIMIT: the attributes of LimitReport. */
  val Limit = new ReportSchema[LimitReport](
    Column("table", StringType, _.table),
    Column("limit", IntegerType, _.limit),
    Column("predicate", StringType, _.predicate),
    Column("order_by", StringType, _.order.map(_.key)),
    Column("threshold", StringType, _.order.flatMap(_.threshold)),
    Column("covered", BooleanType, _.covered),
    Column("reason", reason.sql, _.reason.map(reason.fields)),
    Column("row_filter_skipped", BooleanType, _.rowFilterSkipped),
    struct(
      "files",
      Column("pruned_by_log", LongType, _.files.flatMap(_.prunedByLog)),
      Column("total", IntegerType, _.files.map(_.total)),
      Column("inspected", IntegerType, _.files.map(_.lookedAt)),
      Column("footers_cached", IntegerType, _.files.map(_.footersCached)),
      Column("scanned", IntegerType, _.files.flatMap(_.scanned)),
      Column("reserve", IntegerType, _.files.flatMap(_.reserve)),
      Column("chosen", ArrayType(StringType), _.files.toSeq.flatMap(_.chosen))
    ),
    struct(
      "row_groups",
      Column("total", IntegerType, _.rowGroups.map(_.total)),
      Column("matched", IntegerType, _.rowGroups.map(_.matched)),
      Column("fully_matched", IntegerType, _.rowGroups.map(_.fullyMatched)),
      Column("dropped", IntegerType, _.order.flatMap(_.rowGroupsDropped)),
      Column("scanned", IntegerType, _.rowGroups.flatMap(_.scanned)),
      Column("reserve", IntegerType, _.rowGroups.flatMap(_.reserve)),
      Column("read", LongType, _.rowGroupsRead),
      Column("skipped", LongType, _.rowGroupsSkipped),
      Column("details", ArrayType(RowGroup.sql), _.map.rowGroups.map(RowGroup.fields)),
      Column("omitted", IntegerType, _.map.omitted)
    ),
    struct(
      "pages",
      Column("skipped", LongType, _.pagesSkipped),
      Column("not_skipped_reason", StringType, _.noPageSkipping)
    ),
    struct(
      "rows",
      Column("to_read", LongType, _.rowsToRead),
      Column("ranges", IntegerType, _.rowRanges),
      Column("cut", LongType, _.rowsCut),
      Column("skipped", LongType, _.rowsSkipped),
      Column("certain", LongType, _.order.flatMap(_.rowsCertain)),
      Column("verified", LongType, _.rowsVerified),
      Column("read", LongType, _.rowsRead)
    ),
    struct(
      "bytes",
      Column("total", LongType, _.files.map(_.bytes)),
      Column("to_read", LongType, _.bytesToRead),
      Column("read_first", LongType, _.bytesReadFirst),
      Column("read", LongType, _.bytesRead)
    ),
    struct("time", Column("planning_ms", DoubleType, _.planningMs))
  )

  private val ofQuery = Seq[Column[QueryReport]](
    Column("execution_id", LongType, _.executionId),
    Column("description", StringType, _.description),
    Column("started", TimestampType, _.started),
    Column("ended", TimestampType, _.ended),
    Column("failed", BooleanType, _.failed)
  )

  private val sums = Seq[Column[QueryReport]](
    Column("covered", BooleanType, _.report.limits.forall(_.covered)),
    Column("reason", StringType, _.report.limits.flatMap(_.reason).headOption.map(_.code)),
    Column("files_total", LongType, sum(_)(_.files.map(_.total.toLong))),
    Column("files_scanned", LongType, sum(_)(_.files.flatMap(_.scanned).map(_.toLong))),
    Column("row_groups_total", LongType, sum(_)(_.rowGroups.map(_.total.toLong))),
    Column("row_groups_read", LongType, sum(_)(_.rowGroupsRead)),
    Column("row_groups_skipped", LongType, sum(_)(_.rowGroupsSkipped)),
    Column("rows_read", LongType, sum(_)(_.rowsRead)),
    // If a LIMIT is not pruned, the bytes that its scan reads are not known.
    Column("bytes_total", LongType, sum(_)(limit => limit.bytesRead.flatMap(_ => limit.files.map(_.bytes)))),
    Column("bytes_read", LongType, sum(_)(_.bytesReadInAll)),
    Column("planning_ms", DoubleType, _.report.limits.flatMap(_.planningMs).reduceOption(_ + _))
  )

  private val limits =
    Column[QueryReport]("limits", ArrayType(Limit.sql), _.report.limits.map(Limit.fields))

  /** A query that has run: the attributes of QueryReport. */
  val Query = new ReportSchema[QueryReport](ofQuery :+ limits: _*)

  /** The same, with sums over the LIMITs of the query as in [[Totals]]. */
  val QueryWithSums = new ReportSchema[QueryReport]((ofQuery ++ sums) :+ limits: _*)

  /** All queries: the attributes of Totals. */
  val AllQueries = new ReportSchema[Totals](
    new Totals().names.map(name => Column[Totals](snake(name), LongType, _.value(name))): _*
  )

  private val columnLayout = new ReportSchema[ColumnLayout](
    Column("name", StringType, _.column.name),
    Column("type", StringType, _.column.dataType.sql),
    Column("is_partition", BooleanType, _.isPartition),
    Column("with_min_max", IntegerType, _.minMax),
    Column("with_null_count", IntegerType, _.nullCounts),
    Column("with_page_index", IntegerType, _.pageIndexes),
    Column("with_dictionary", IntegerType, _.dictionaries),
    Column("with_bloom_filter", IntegerType, _.bloomFilters),
    Column("overlap", DoubleType, _.overlap)
  )

  /** An inspection: the attributes of Inspection. */
  val OfInspection = new ReportSchema[Inspection](
    Column("report", Limit.sql, inspection => Limit.fields(inspection.planned.copy(map = RowGroupMap.Empty))),
    struct(
      "files",
      Column("total", IntegerType, _.files),
      Column("inspected", IntegerType, _.filesInspected)
    ),
    struct(
      "row_groups",
      Column("total", IntegerType, _.rowGroups),
      Column("matched", IntegerType, _.matched),
      Column("fully_matched", IntegerType, _.fullyMatched),
      Column("bytes", LongType, _.bytes),
      Column("details", ArrayType(RowGroup.sql), _.details.map(RowGroup.fields)),
      Column("omitted", IntegerType, inspection => inspection.rowGroups - inspection.details.size)
    ),
    struct(
      "rows",
      Column("total", LongType, _.rows),
      Column("proved", LongType, _.rowsMatching)
    ),
    Column("columns", ArrayType(columnLayout.sql), _.layouts.map(columnLayout.fields))
  )

  /** The sum of the values that are known; none if none is known. */
  private def sum(query: QueryReport)(value: LimitReport => Option[Long]): Option[Long] =
    query.report.limits.flatMap(value(_)).reduceOption(_ + _)

  /** The name of a value in SQL and Python. */
  private def snake(name: String): String =
    name.replaceAll("([A-Z])", "_$1").toLowerCase(java.util.Locale.ROOT)
}
