package limitpruning.parquet

import org.apache.parquet.schema.PrimitiveType
import org.apache.spark.sql.types.{DataType, DecimalType}

import limitpruning.predicate.{ColumnFacts, Nulls, SupportedTypes, Values}

/**
 * Turns what a footer says of a column's chunks into facts; what contradicts itself or the format is unknown.
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
        // Spark reads a decimal that does not fit its precision as null: only a known range excludes nulls.
        case _ if sparkType.isInstanceOf[DecimalType] && values == Values.Unknown => ColumnFacts.Unknown
        case Some(0) => ColumnFacts(values, Nulls.No)
        case _ => ColumnFacts(values, if (isRequired) Nulls.No else Nulls.Unknown)
      }
    }

  private def contradictsItself(chunk: ColumnChunk): Boolean = chunk.values != chunk.rows ||
    chunk.nullCount.exists { nulls =>
      nulls < 0 || nulls > chunk.rows || (nulls > 0 && isRequired) ||
      (nulls == chunk.rows && chunk.bounds.nonEmpty)
    }

  private def valuesOf(chunk: ColumnChunk): Values = chunk.bounds match {
    case Some((min, max)) if toRange.nonEmpty =>
      toRange.get(min, max) match {
        case Some(range) if isPlausible(range, chunk.mayBeCut) => range
        case _ => Values.Unknown
      }
    case _ => Values.Unknown
  }

  private def isPlausible(range: Values.Range, mayBeCut: Boolean): Boolean = {
    val order = ordering.compare(range.min, range.max)
    // A max that was cut is above every value, so it cannot be the min, too: one of the two is no bound.
    order < 0 || (order == 0 && !mayBeCut)
  }
}
