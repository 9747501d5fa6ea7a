package limitpruning.parquet

import java.nio.ByteBuffer

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.format.{Statistics => RawStatistics}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.spark.sql.types.{DataType, DecimalType}

import limitpruning.predicate.{ColumnFacts, Nulls, SupportedTypes, Values}
import limitpruning.shims.ParquetShims

/**
 * The metadata of one column chunk in a footer, before they are checked.
 *
 * @param rows rows of its row group
 * @param values values including nulls; equal to the rows in a column without repetition
 * @param nullCount none if it was not written
 * @param minMax min and max as parquet-java returns them; none if they were not written or have another order
 * @param mayBeCut whether min or max may be truncated
 */
private[parquet] final case class ColumnChunk(
    rows: Long,
    values: Long,
    nullCount: Option[Long],
    minMax: Option[(Any, Any)],
    mayBeCut: Boolean
)

private[parquet] object ColumnChunk {

  /** The length in bytes to which writers truncate min and max without a mark. */
  val CutLength = 64

  /** @param int96 min and max of an INT96 column, in the order of time; those of parquet-java have another order */
  def apply(
      rows: Long,
      chunk: ColumnChunkMetaData,
      mayBeCut: Boolean,
      int96: Option[(Any, Any)] = None
  ): ColumnChunk = {
    val statistics: Statistics[_] = chunk.getStatistics
    val hasNullCount = statistics != null && statistics.isNumNullsSet
    val isInt96 = chunk.getPrimitiveType.getPrimitiveTypeName == PrimitiveTypeName.INT96
    val hasMinMax = statistics != null && statistics.hasNonNullValue && !isInt96
    ColumnChunk(
      rows = rows,
      values = chunk.getValueCount,
      nullCount = if (hasNullCount) Some(statistics.getNumNulls) else None,
      minMax = if (hasMinMax) Some((statistics.genericGetMin, statistics.genericGetMax))
      else int96.filter(_ => isInt96),
      mayBeCut
    )
  }

  /** @param raw the statistics as they were written, null if there are none */
  def mayBeCut(raw: RawStatistics): Boolean = raw != null && (
    isCut(ParquetShims.isMinExact(raw), raw.min_value) ||
      isCut(ParquetShims.isMaxExact(raw), raw.max_value) ||
      isLong(raw.min) || isLong(raw.max) // the fields of old writers, which have no mark for truncation
  )

  private def isCut(isExact: Option[Boolean], bound: ByteBuffer): Boolean = isExact.fold(isLong(bound))(!_)

  // The buffers themselves, because thrift's getters copy them.
  private def isLong(bound: ByteBuffer): Boolean = bound != null && bound.remaining >= CutLength
}

/**
 * Converts the metadata of a column's chunks to facts. Metadata that contradict themselves or the format are
 * unknown.
 *
 * @param isRequired neither the column nor a struct around it can be null
 */
private[parquet] final class ChunkFacts(
    sparkType: DataType,
    column: PrimitiveType,
    isRequired: Boolean,
    calendar: Calendar
) {
  private val toRange = TrustedTypes.rangeOf(sparkType, column, calendar)
  private lazy val ordering = SupportedTypes.ordering(sparkType)

  def apply(chunk: ColumnChunk): ColumnFacts =
    if (contradictsItself(chunk)) ColumnFacts.Unknown
    else {
      val values = valuesOf(chunk)
      chunk.nullCount match {
        case Some(nulls) if nulls == chunk.rows => ColumnFacts.AllNull
        // Spark reads a decimal that does not fit its precision as null. Therefore only a known range
        // excludes nulls.
        case _ if sparkType.isInstanceOf[DecimalType] && values == Values.Unknown => ColumnFacts.Unknown
        case Some(0) => ColumnFacts(values, Nulls.No)
        case _ => ColumnFacts(values, if (isRequired) Nulls.No else Nulls.Unknown)
      }
    }

  private def contradictsItself(chunk: ColumnChunk): Boolean = chunk.values != chunk.rows ||
    chunk.nullCount.exists { nulls =>
      nulls < 0 || nulls > chunk.rows || (nulls > 0 && isRequired) ||
      (nulls == chunk.rows && chunk.minMax.nonEmpty)
    }

  private def valuesOf(chunk: ColumnChunk): Values = chunk.minMax match {
    case Some((min, max)) if toRange.nonEmpty =>
      toRange.get(min, max) match {
        case Some(range) if isPlausible(range, chunk.mayBeCut) => range
        case _ => Values.Unknown
      }
    case _ => Values.Unknown
  }

  private def isPlausible(range: Values.Range, mayBeCut: Boolean): Boolean = {
    val order = ordering.compare(range.min, range.max)
    // A truncated max is above every value, so it cannot equal the min. If they are equal, one of the two is
    // wrong.
    order < 0 || (order == 0 && !mayBeCut)
  }
}
