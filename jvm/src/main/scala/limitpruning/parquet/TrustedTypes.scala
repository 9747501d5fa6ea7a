package limitpruning.parquet

import java.math.BigInteger

import scala.util.control.NonFatal

import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType}
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import limitpruning.predicate.Values

/**
 * The pairs of Spark type and Parquet type for which min and max of a column chunk are trusted, with the
 * conversion to Catalyst's representation. All other pairs (UUID, JSON, nanoseconds, narrowed columns,
 * other collations …) have unknown values: the two orders may differ, or the reader changes the values. A column that was widened after it was written is listed if every Spark version
 * reads it without changing a value.
 */
private[parquet] object TrustedTypes {

  /** Converts a chunk's min and max, as parquet-java returns them, to a range. None if they are not valid. */
  type ToRange = (Any, Any) => Option[Values.Range]

  /** @param calendar how dates and timestamps of this file are read */
  def rangeOf(sparkType: DataType, parquetType: PrimitiveType, calendar: Calendar): Option[ToRange] = {
    val annotation = Option(parquetType.getLogicalTypeAnnotation)
    (sparkType, parquetType.getPrimitiveTypeName) match {
      case (BooleanType, BOOLEAN) => Some(converted { case b: Boolean => b })
      case (ByteType, INT32) if isSignedInt(annotation, 8) => integral(_.toByte)
      case (ShortType, INT32) if isSignedInt(annotation, 8, 16) => integral(_.toShort)
      case (IntegerType, INT32) if annotation.isEmpty || isSignedInt(annotation, 8, 16, 32) =>
        integral(_.toInt)
      case (LongType, INT32) if annotation.isEmpty || isSignedInt(annotation, 8, 16, 32) =>
        integral(identity)
      case (DoubleType, INT32) if annotation.isEmpty || isSignedInt(annotation, 8, 16, 32) =>
        Some(converted { case value: Int => value.toDouble }) // exact for each value; none is NaN
      // Values that a writer of the type cannot have written are unknown.
      case (ShortType, INT32) if isUnsignedInt(annotation, 8) =>
        Some(converted { case value: Int if value >= 0 && value < (1 << 8) => value.toShort })
      case (IntegerType, INT32) if isUnsignedInt(annotation, 16) =>
        Some(converted { case value: Int if value >= 0 && value < (1 << 16) => value })
      case (LongType, INT32) if isUnsignedInt(annotation, 32) =>
        Some(converted { case value: Int => Integer.toUnsignedLong(value) })
      case (UnsignedLong, INT64) if isUnsignedInt(annotation, 64) =>
        Some(converted { case value: Long => Decimal(unsigned(value), UnsignedLong.precision, 0) })
      case (LongType, INT64) if annotation.isEmpty || isSignedInt(annotation, 64) => integral(identity)
      case (FloatType, FLOAT) if annotation.isEmpty => Some(upToNaN(Float.NaN)(identity))
      case (DoubleType, DOUBLE) if annotation.isEmpty => Some(upToNaN(Double.NaN)(identity))
      case (DoubleType, FLOAT) if annotation.isEmpty =>
        Some(upToNaN(Double.NaN)(_.asInstanceOf[Float].toDouble))
      case (decimal: DecimalType, INT32 | INT64 | BINARY | FIXED_LEN_BYTE_ARRAY) =>
        TrustedDecimals.of(decimal, parquetType).map(stored =>
          converted(unscaled.andThen(toDecimal(stored, decimal)(_)))
        )
      case (DateType, INT32) if annotation.exists(_.isInstanceOf[DateLogicalTypeAnnotation]) =>
        Some(checked(calendar.trustsDays) { case days: Int => days })
      case (TimestampNTZType, INT32) if annotation.exists(_.isInstanceOf[DateLogicalTypeAnnotation]) =>
        Some(converted {
          case days: Int if calendar.trustsDays(days) => Math.multiplyExact(days.toLong, MicrosPerDay)
        })
      case (TimestampType, INT96) if calendar.readsInt96AsStored =>
        Some(converted(Function.unlift[Any, Any] {
          case end: Binary => Int96.end(end)
          case _ => None
        }))
      case (TimestampType, INT64) =>
        microsPer(annotation, adjustedToUtc = true).map(unit =>
          checked(calendar.trustsMicros)(toMicros(unit))
        )
      case (TimestampNTZType, INT64) =>
        microsPer(annotation, adjustedToUtc = false).map(unit => converted(toMicros(unit)))
      case (string: StringType, BINARY)
          if string == StringType && annotation.exists(_.isInstanceOf[StringLogicalTypeAnnotation]) =>
        Some(converted { case bytes: Binary => UTF8String.fromBytes(bytes.getBytes) })
      case (BinaryType, BINARY) if annotation.isEmpty =>
        Some(converted { case bytes: Binary => bytes.getBytes })
      case _ => None
    }
  }

  private def converted(convert: PartialFunction[Any, Any]): ToRange = checked[Any](_ => true)(convert)

  private def checked[T](isTrusted: T => Boolean)(convert: PartialFunction[Any, T]): ToRange = (min, max) =>
    try {
      val low = convert(min)
      val high = convert(max)
      if (isTrusted(low) && isTrusted(high)) Some(Values.Range(low, high)) else None
    } catch { case NonFatal(_) => None } // an overflow in the conversion makes the range unknown

  /**
   * Writers do not include NaN in min and max, and for Spark NaN is above all other values. Therefore a range
   * must include NaN.
   */
  private def upToNaN(nan: Any)(convert: Any => Any): ToRange =
    (min, _) => if (isNaN(min)) None else Some(Values.Range(convert(min), nan))

  private def isNaN(value: Any): Boolean = value match {
    case double: Double => double.isNaN
    case float: Float => float.isNaN
    case _ => false
  }

  /** Values that do not fit the narrower type would wrap around when they are read. Nothing is then known. */
  private def integral[T](narrow: Long => T)(implicit number: Numeric[T]): Option[ToRange] = Some(
    converted {
      case value: Number if number.toLong(narrow(value.longValue)) == value.longValue =>
        narrow(value.longValue)
    }
  )

  private val unscaled: PartialFunction[Any, BigInteger] = {
    case value: Integer => BigInteger.valueOf(value.longValue)
    case value: java.lang.Long => BigInteger.valueOf(value)
    case bytes: Binary => new BigInteger(bytes.getBytes)
  }

  private def toDecimal(stored: TrustedDecimals, decimal: DecimalType)(value: BigInteger): Decimal = {
    val number = BigDecimal(new java.math.BigDecimal(value, stored.scale))
    require(number.precision <= stored.precision, s"$number has more digits than its column")
    Decimal(number, decimal.precision, decimal.scale)
  }

  private val MicrosPerDay = 24L * 3600 * 1000 * 1000

  private def toMicros(microsPerUnit: Long): PartialFunction[Any, Long] = { case value: Long =>
    Math.multiplyExact(value, microsPerUnit)
  }

  private def isSignedInt(annotation: Option[LogicalTypeAnnotation], widths: Int*): Boolean =
    annotation.exists {
      case int: IntLogicalTypeAnnotation => int.isSigned && widths.contains(int.getBitWidth)
      case _ => false
    }

  private def isUnsignedInt(annotation: Option[LogicalTypeAnnotation], width: Int): Boolean =
    annotation.exists {
      case int: IntLogicalTypeAnnotation => !int.isSigned && int.getBitWidth == width
      case _ => false
    }

  /** The type as which Spark reads unsigned integers of 64 bits. */
  val UnsignedLong: DecimalType = DecimalType(20, 0)

  private def unsigned(value: Long): BigDecimal = BigDecimal(java.lang.Long.toUnsignedString(value))

  private def microsPer(annotation: Option[LogicalTypeAnnotation], adjustedToUtc: Boolean): Option[Long] =
    annotation.collect {
      case t: TimestampLogicalTypeAnnotation if t.isAdjustedToUTC == adjustedToUtc => t.getUnit
    }.collect {
      case TimeUnit.MICROS => 1L
      case TimeUnit.MILLIS => 1000L
    }
}

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
