package limitpruning.report

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{
  ArrayType, BooleanType, DataType, DoubleType, IntegerType, LongType, StringType, StructType, TimestampType
}
import org.apache.spark.unsafe.types.UTF8String

/**
 * The columns of the table functions, and rows of them. The names are those of [[ReportJson]]: columns, fields of structs and
 * attributes in Python have the same names.
 */
private[report] object ReportSchemas {

  private val rowGroupFields =
    "file STRING, ordinal INT, `rows` BIGINT, bytes BIGINT, state STRING, decided_by STRING, why STRING, " +
      "facts ARRAY<STRING>, scanned BOOLEAN, rows_to_read BIGINT"

  private val limitFields =
    "`table` STRING, `limit` INT, predicate STRING, order_by STRING, threshold STRING, covered BOOLEAN, " +
      "reason STRUCT<code: STRING, message: STRING>, row_filter_skipped BOOLEAN, " +
      "files STRUCT<pruned_by_log: BIGINT, total: INT, inspected: INT, footers_cached: INT, scanned: INT, " +
      "reserve: INT, chosen: ARRAY<STRING>>, " +
      "row_groups STRUCT<total: INT, matched: INT, fully_matched: INT, dropped: INT, scanned: INT, reserve: INT, " +
      s"read: BIGINT, skipped: BIGINT, details: ARRAY<STRUCT<$rowGroupFields>>, omitted: INT>, " +
      "pages STRUCT<skipped: BIGINT, not_skipped_reason: STRING>, " +
      "`rows` STRUCT<to_read: BIGINT, `ranges`: INT, cut: BIGINT, skipped: BIGINT, certain: BIGINT, " +
      "verified: BIGINT, read: BIGINT>, " +
      "bytes STRUCT<total: BIGINT, to_read: BIGINT, read_first: BIGINT, read: BIGINT>, " +
      "`time` STRUCT<planning_ms: DOUBLE>"

  /** One row for each row group: the attributes of RowGroupReport. */
  val RowGroup: StructType = StructType.fromDDL(rowGroupFields)

  /** One row for each LIMIT: the attributes of LimitReport. */
  val Limit: StructType = StructType.fromDDL(limitFields)

  /** One row for each query: the attributes of QueryReport, and sums over the LIMITs of the query. */
  val Query: StructType = StructType.fromDDL(
    "execution_id BIGINT, description STRING, started TIMESTAMP, ended TIMESTAMP, failed BOOLEAN, " +
      "covered BOOLEAN, reason STRING, files_total BIGINT, files_scanned BIGINT, row_groups_total BIGINT, " +
      "row_groups_read BIGINT, row_groups_skipped BIGINT, rows_read BIGINT, bytes_total BIGINT, bytes_read BIGINT, " +
      s"planning_ms DOUBLE, limits ARRAY<STRUCT<$limitFields>>"
  )

  /** One row for the result of an inspection: the attributes of Inspection. */
  val Summary: StructType = StructType.fromDDL(
    s"report STRUCT<$limitFields>, files STRUCT<total: INT, inspected: INT>, " +
      "row_groups STRUCT<total: INT, matched: INT, fully_matched: INT, bytes: BIGINT, " +
      s"details: ARRAY<STRUCT<$rowGroupFields>>, omitted: INT>, " +
      "`rows` STRUCT<total: BIGINT, proved: BIGINT>, " +
      "`columns` ARRAY<STRUCT<name: STRING, type: STRING, is_partition: BOOLEAN, with_min_max: INT, " +
      "with_null_count: INT, with_page_index: INT, with_dictionary: INT, with_bloom_filter: INT, overlap: DOUBLE>>"
  )

  /** @param names names of [[Totals]] */
  def totals(names: Seq[String]): StructType =
    names.foldLeft(new StructType)((schema, name) => schema.add(snake(name), LongType))

  /** The name of a value in SQL and Python. */
  def snake(name: String): String = name.replaceAll("([A-Z])", "_$1").toLowerCase(java.util.Locale.ROOT)

  /** @param fields a value for each field of the schema, by name */
  def row(fields: ReportJson.Fields, schema: StructType): InternalRow =
    new GenericInternalRow(schema.fields.map { field =>
      require(fields.containsKey(field.name), s"a report has no ${field.name}")
      value(fields.get(field.name), field.dataType)
    })

  private def value(found: Any, dataType: DataType): Any = (found, dataType) match {
    case (null, _) => null
    case (fields: java.util.Map[_, _], struct: StructType) =>
      row(fields.asInstanceOf[ReportJson.Fields], struct)
    case (several: java.util.List[_], ArrayType(element, _)) =>
      new GenericArrayData(several.asScala.map(value(_, element)).toArray[Any])
    case (text: String, StringType) => UTF8String.fromString(text)
    case (yes: Boolean, BooleanType) => yes
    case (number: Number, IntegerType) => Math.toIntExact(number.longValue)
    case (number: Number, LongType) => number.longValue
    case (number: Number, DoubleType) => number.doubleValue
    case (millis: Number, TimestampType) => Math.multiplyExact(millis.longValue, 1000L)
    case (other, _) =>
      throw new IllegalArgumentException(s"a report has $other where ${dataType.sql} is expected")
  }
}
