package limitpruning.parquet

import org.apache.parquet.schema.LogicalTypeAnnotation.{
  DecimalLogicalTypeAnnotation, IntLogicalTypeAnnotation
}
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types.{Decimal, DecimalType}

/**
 * The columns of numbers that Spark reads as a decimal without changing one, in both of its readers: as
 * `isDecimalTypeMatched` of its `ParquetVectorUpdaterFactory` has it, less what the row reader or dictionaries do otherwise.
 *
 * @param scale digits after the point of the numbers that are stored
 * @param precision the most digits that a stored number has; one with more is read as null, or as another one
 */
private[parquet] final case class TrustedDecimals(scale: Int, precision: Int)

private[parquet] object TrustedDecimals {

  def of(decimal: DecimalType, column: PrimitiveType): Option[TrustedDecimals] =
    column.getLogicalTypeAnnotation match {
      case stored: DecimalLogicalTypeAnnotation if isReadWhole(column, stored.getPrecision) =>
        val isSame = decimal.precision == stored.getPrecision && decimal.scale == stored.getScale
        if (isSame || isWidened(decimal, column, stored))
          Some(TrustedDecimals(stored.getScale, stored.getPrecision))
        else None
      case null => ofIntegers(decimal, column)
      case int: IntLogicalTypeAnnotation if int.isSigned => ofIntegers(decimal, column)
      case _ => None
    }

  /** As many digits more before the point as after it, or more: nothing is rounded, and nothing overflows. */
  private def isWidened(
      decimal: DecimalType,
      column: PrimitiveType,
      stored: DecimalLogicalTypeAnnotation
  ): Boolean = {
    val moreAfterPoint = decimal.scale - stored.getScale
    val more = decimal.precision - stored.getPrecision
    val isSupported = column.getPrimitiveTypeName match {
      case INT32 | FIXED_LEN_BYTE_ARRAY => true
      // Spark decodes dictionaries of fewer digits in INT64 as if they were of INT32.
      case INT64 => stored.getPrecision > Decimal.MAX_INT_DIGITS
      case _ => false
    }
    isSupported && moreAfterPoint >= 0 && more >= moreAfterPoint
  }

  private def ofIntegers(decimal: DecimalType, column: PrimitiveType): Option[TrustedDecimals] = {
    val digits = column.getPrimitiveTypeName match {
      case INT32 => Some(10)
      case INT64 => Some(20)
      case _ => None
    }
    digits.filter(decimal.precision - decimal.scale >= _).map(TrustedDecimals(0, _))
  }

  /** Up to 18 digits, Spark's row reader shifts the bytes of a number into a Long, which loses some of odd lengths. */
  private def isReadWhole(column: PrimitiveType, precision: Int): Boolean =
    column.getPrimitiveTypeName match {
      case INT32 | INT64 => true
      case FIXED_LEN_BYTE_ARRAY =>
        precision > Decimal.MAX_LONG_DIGITS || column.getTypeLength <= 8 || column.getTypeLength % 8 == 0
      case BINARY => precision > Decimal.MAX_LONG_DIGITS
      case _ => false
    }
}
