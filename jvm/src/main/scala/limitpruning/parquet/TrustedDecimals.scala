package limitpruning.parquet

import org.apache.parquet.schema.LogicalTypeAnnotation.{
  DecimalLogicalTypeAnnotation, IntLogicalTypeAnnotation
}
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types.{Decimal, DecimalType}

/**
 * The columns of numbers that both of Spark's readers read as a decimal without changing a value. These are
 * the columns of `isDecimalTypeMatched` in Spark's `ParquetVectorUpdaterFactory`, without those that the row
 * reader or dictionaries read differently.
 *
 * @param scale digits after the point of the stored numbers
 * @param precision the maximum number of digits of a stored number; a number with more digits is read as
 *   null, or as another number
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

  /**
   * The precision grows by at least as many digits as the scale. Therefore nothing is rounded, and nothing
   * overflows.
   */
  private def isWidened(
      decimal: DecimalType,
      column: PrimitiveType,
      stored: DecimalLogicalTypeAnnotation
  ): Boolean = {
    val moreAfterPoint = decimal.scale - stored.getScale
    val more = decimal.precision - stored.getPrecision
    val isSupported = column.getPrimitiveTypeName match {
      case INT32 | FIXED_LEN_BYTE_ARRAY => true
      // Spark decodes dictionaries of fewer digits in INT64 as if they were INT32.
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

  /**
   * For up to 18 digits, Spark's row reader shifts the bytes of a number into a Long. This loses bytes of
   * some lengths that are not a multiple of 8.
   */
  private def isReadWhole(column: PrimitiveType, precision: Int): Boolean =
    column.getPrimitiveTypeName match {
      case INT32 | INT64 => true
      case FIXED_LEN_BYTE_ARRAY =>
        precision > Decimal.MAX_LONG_DIGITS || column.getTypeLength <= 8 || column.getTypeLength % 8 == 0
      case BINARY => precision > Decimal.MAX_LONG_DIGITS
      case _ => false
    }
}
