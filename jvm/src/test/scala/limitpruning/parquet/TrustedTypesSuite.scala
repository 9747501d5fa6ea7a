package limitpruning.parquet

import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN

import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{MessageTypeParser, PrimitiveType}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.SupportedTypes
import limitpruning.predicate.Values.Range

class TrustedTypesSuite extends AnyFunSuite {
  private val modern = Calendar(isProleptic = true)

  private def named(declaration: String): PrimitiveType = {
    val (physical, annotation) = declaration.span(_ != '{')
    MessageTypeParser.parseMessageType(
      s"message m { optional $physical c ${annotation.drop(1).dropRight(1)}; }"
    )
      .getType(0).asPrimitiveType
  }

  private def range(spark: DataType, parquet: String, min: Any, max: Any, calendar: Calendar = modern) =
    TrustedTypes.rangeOf(spark, named(parquet), calendar).flatMap(_(min, max))

  private def decimal(text: String, precision: Int, scale: Int) = Decimal(BigDecimal(text), precision, scale)
  private def text(value: String) = UTF8String.fromString(value)

  private val listed: Seq[(DataType, String, Any, Any, Any, Any)] = Seq(
    (BooleanType, "boolean", false, true, false, true),
    (ByteType, "int32 {(INTEGER(8,true))}", -128, 127, (-128).toByte, 127.toByte),
    (ShortType, "int32 {(INTEGER(16,true))}", -5, 300, (-5).toShort, 300.toShort),
    (ShortType, "int32 {(INTEGER(8,true))}", -5, 5, (-5).toShort, 5.toShort),
    (IntegerType, "int32", -5, 70000, -5, 70000),
    (IntegerType, "int32 {(INTEGER(32,true))}", -5, 5, -5, 5),
    (IntegerType, "int32 {(INTEGER(16,true))}", -5, 5, -5, 5),
    (LongType, "int64", -5L, 5L, -5L, 5L),
    (LongType, "int64 {(INTEGER(64,true))}", -5L, 5L, -5L, 5L),
    (FloatType, "float", -1.5f, 2.0f, -1.5f, Float.NaN),
    (DoubleType, "double", -1.5, 2.0, -1.5, Double.NaN),
    (DecimalType(5, 2), "int32 {(DECIMAL(5,2))}", -100, 99999, decimal("-1", 5, 2), decimal("999.99", 5, 2)),
    (DecimalType(12, 2), "int64 {(DECIMAL(12,2))}", -1L, 5L, decimal("-0.01", 12, 2), decimal("0.05", 12, 2)),
    // Widened since the file was written: line 29.
    (LongType, "int32", Int.MinValue, Int.MaxValue, Int.MinValue.toLong, Int.MaxValue.toLong),
    (LongType, "int32 {(INTEGER(16,true))}", -5, 5, -5L, 5L),
    (DoubleType, "int32", Int.MinValue, Int.MaxValue, Int.MinValue.toDouble, Int.MaxValue.toDouble),
    (DoubleType, "int32 {(INTEGER(8,true))}", -5, 5, -5.0, 5.0),
    (DoubleType, "float", 0.1f, 2.0f, 0.1f.toDouble, Double.NaN),
    (TimestampNTZType, "int32 {(DATE)}", -1, 1, -86400000000L, 86400000000L),
    (DecimalType(10, 0), "int32", -5, 5, decimal("-5", 10, 0), decimal("5", 10, 0)),
    (DecimalType(12, 2), "int32 {(INTEGER(8,true))}", -5, 5, decimal("-5", 12, 2), decimal("5", 12, 2)),
    (
      DecimalType(22, 2),
      "int64",
      Long.MinValue,
      5L,
      decimal("-9223372036854775808.00", 22, 2),
      decimal("5", 22, 2)
    ),
    (DecimalType(7, 2), "int32 {(DECIMAL(5,2))}", -1, 99999, decimal("-0.01", 7, 2), decimal("999.99", 7, 2)),
    (DecimalType(7, 3), "int32 {(DECIMAL(5,2))}", -1, 1, decimal("-0.01", 7, 3), decimal("0.01", 7, 3)),
    (DecimalType(20, 4), "int64 {(DECIMAL(12,2))}", -1L, 1L, decimal("-0.01", 20, 4), decimal("0.01", 20, 4)),
    (DateType, "int32 {(DATE)}", -1000000, 20000, -1000000, 20000),
    (TimestampType, "int64 {(TIMESTAMP(MICROS,true))}", -5L, 5L, -5L, 5L),
    (TimestampType, "int64 {(TIMESTAMP(MILLIS,true))}", -5L, 5L, -5000L, 5000L),
    (TimestampNTZType, "int64 {(TIMESTAMP(MICROS,false))}", -5L, 5L, -5L, 5L),
    (TimestampNTZType, "int64 {(TIMESTAMP(MILLIS,false))}", -5L, 5L, -5000L, 5000L),
    // Unsigned, also where both ends are negative as signed numbers: line 79.
    (ShortType, "int32 {(INTEGER(8,false))}", 0, 255, 0.toShort, 255.toShort),
    (IntegerType, "int32 {(INTEGER(16,false))}", 0, 65535, 0, 65535),
    (LongType, "int32 {(INTEGER(32,false))}", 0, -1, 0L, 4294967295L),
    (
      DecimalType(20, 0),
      "int64 {(INTEGER(64,false))}",
      Long.MaxValue,
      -1L,
      decimal("9223372036854775807", 20, 0),
      decimal("18446744073709551615", 20, 0)
    ),
    (StringType, "binary {(STRING)}", Binary.fromString("A"), Binary.fromString("é"), text("A"), text("é"))
  )

  for ((spark, parquet, min, max, low, high) <- listed)
    test(s"believed: ${spark.sql} from $parquet") {
      val found = range(spark, parquet, min, max)
      assert(found.map(r => (r.min.getClass, r.max.getClass)).contains((low.getClass, high.getClass)))
      val ordering = SupportedTypes.ordering(spark) // for which NaN equals NaN
      assert(found.exists(r => ordering.equiv(r.min, low) && ordering.equiv(r.max, high)), found)
    }

  test("trusted: BINARY from binary, and decimals from their big-endian bytes") {
    val Some(Range(low: Array[Byte], high: Array[Byte])) =
      range(BinaryType, "binary", bytes(1), bytes(-1, 2)): @unchecked
    assert(low.toSeq == Seq[Byte](1) && high.toSeq == Seq[Byte](-1, 2))
    def decimals(precision: Int, physical: String): Option[Range] =
      range(DecimalType(precision, 1), s"$physical {(DECIMAL($precision,1))}", bytes(-1, -2), bytes(1, 0))
    for ((precision, physical) <- Seq(4 -> "fixed_len_byte_array(2)", 20 -> "binary"))
      assert(decimals(precision, physical)
        .contains(Range(decimal("-0.2", precision, 1), decimal("25.6", precision, 1))))
    val rescaled = range(DecimalType(6, 2), "fixed_len_byte_array(2) {(DECIMAL(4,1))}", bytes(1), bytes(2))
    assert(rescaled.contains(Range(decimal("0.1", 6, 2), decimal("0.2", 6, 2))))
  }

  private def bytes(values: Int*): Binary = Binary.fromConstantByteArray(values.map(_.toByte).toArray)

  private val unknown: Seq[(DataType, String)] = Seq(
    ByteType -> "int32",
    ShortType -> "int32",
    ShortType -> "int32 {(INTEGER(32,true))}",
    IntegerType -> "int32 {(INTEGER(32,false))}",
    IntegerType -> "int32 {(INTEGER(8,false))}",
    IntegerType -> "int32 {(DATE)}",
    IntegerType -> "int32 {(DECIMAL(5,2))}",
    FloatType -> "int32",
    LongType -> "int32 {(DATE)}",
    DoubleType -> "int32 {(DATE)}",
    DoubleType -> "int64",
    FloatType -> "double",
    IntegerType -> "int64",
    LongType -> "int32 {(INTEGER(16,false))}",
    LongType -> "int64 {(INTEGER(64,false))}",
    ShortType -> "int32 {(INTEGER(16,false))}",
    LongType -> "int64 {(TIMESTAMP(NANOS,true))}",
    LongType -> "int64 {(TIMESTAMP(MICROS,true))}",
    FloatType -> "fixed_len_byte_array(2) {(FLOAT16)}",
    DoubleType -> "int32 {(INTEGER(32,false))}",
    DoubleType -> "int32 {(DECIMAL(5,2))}",
    DecimalType(22, 2) -> "int64 {(INTEGER(64,false))}",
    DecimalType(10, 0) -> "int32 {(INTEGER(8,false))}",
    DecimalType(5, 2) -> "int32",
    DecimalType(5, 2) -> "int32 {(DECIMAL(5,1))}",
    DecimalType(9, 0) -> "int32",
    DecimalType(11, 2) -> "int32",
    DecimalType(10, 0) -> "int32 {(INTEGER(32,false))}",
    DecimalType(10, 0) -> "int32 {(DATE)}",
    DecimalType(19, 0) -> "int64",
    DecimalType(6, 4) -> "int32 {(DECIMAL(5,2))}",
    DecimalType(7, 1) -> "int32 {(DECIMAL(5,2))}",
    DecimalType(12, 2) -> "int64 {(DECIMAL(9,2))}",
    DecimalType(24, 2) -> "binary {(DECIMAL(20,2))}",
    DecimalType(9, 2) -> "binary {(DECIMAL(9,2))}",
    DecimalType(9, 2) -> "fixed_len_byte_array(10) {(DECIMAL(9,2))}",
    DecimalType(5, 2) -> "int32 {(DECIMAL(7,2))}",
    DateType -> "int32",
    TimestampType -> "int32 {(DATE)}",
    TimestampNTZType -> "int96",
    TimestampType -> "int64",
    TimestampType -> "int64 {(TIMESTAMP(MICROS,false))}",
    TimestampType -> "int64 {(TIMESTAMP(NANOS,true))}",
    TimestampNTZType -> "int64 {(TIMESTAMP(MICROS,true))}",
    TimestampNTZType -> "int64 {(TIMESTAMP(NANOS,false))}",
    StringType -> "binary",
    StringType -> "binary {(JSON)}",
    StringType -> "binary {(ENUM)}",
    StringType -> "binary {(BSON)}",
    StringType -> "fixed_len_byte_array(16) {(UUID)}",
    StringType("UTF8_LCASE") -> "binary {(STRING)}",
    StringType("UNICODE_CI") -> "binary {(STRING)}",
    CharType(5) -> "binary {(STRING)}",
    BinaryType -> "binary {(STRING)}",
    BinaryType -> "fixed_len_byte_array(16)",
    BinaryType -> "fixed_len_byte_array(16) {(UUID)}",
    BinaryType -> "fixed_len_byte_array(12) {(INTERVAL)}",
    DayTimeIntervalType() -> "int64",
    YearMonthIntervalType() -> "int32"
  )

  for ((spark, parquet) <- unknown) test(s"lines 17, 29: unknown: ${spark.sql} from $parquet") {
    assert(TrustedTypes.rangeOf(spark, named(parquet), modern).isEmpty)
  }

  test("line 25: values that do not fit the narrower type are unknown, as they wrap around when read") {
    assert(range(ByteType, "int32 {(INTEGER(8,true))}", 0, 128).isEmpty)
    assert(range(ShortType, "int32 {(INTEGER(16,true))}", -32769, 0).isEmpty)
  }

  test("line 79: unsigned integers whose ends are both negative as signed numbers") {
    assert(range(LongType, "int32 {(INTEGER(32,false))}", Int.MinValue, -2)
      .contains(Range(2147483648L, 4294967294L)))
  }

  test("line 79: numbers beyond the width of an unsigned type are unknown") {
    for ((min, max) <- Seq((0, 256), (-1, 5), (0, Int.MinValue)))
      assert(range(ShortType, "int32 {(INTEGER(8,false))}", min, max).isEmpty)
    for ((min, max) <- Seq((0, 65536), (-1, 5)))
      assert(range(IntegerType, "int32 {(INTEGER(16,false))}", min, max).isEmpty)
  }

  private def int96(day: Int, nanos: Long): Binary =
    Binary.fromConstantByteArray(
      ByteBuffer.allocate(12).order(LITTLE_ENDIAN).putLong(nanos).putInt(day).array
    )

  test("line 80: INT96 min and max are instants in microseconds") {
    val found = range(TimestampType, "int96", int96(2440588, 1999), int96(2440589, 0))
    assert(found.contains(Range(1L, 86400000000L)))
  }

  test("line 80: INT96 min and max that are no times of their day, or that readers change, are unknown") {
    val epoch = int96(2440588, 0)
    val nanosPerDay = 86400000000000L
    for (
      min <- Seq(int96(2440587, -1), int96(2440587, nanosPerDay), int96(2415020, 0), int96(1, 0), bytes(1))
    )
      assert(range(TimestampType, "int96", min, epoch).isEmpty, min)
    for (max <- Seq(int96(2440589, -1), int96(2440589, nanosPerDay), int96(Int.MinValue, 0), bytes(1)))
      assert(range(TimestampType, "int96", epoch, max).isEmpty, max)
    assert(range(TimestampType, "int96", epoch, epoch, Calendar(false)).nonEmpty, "it is not rebased")
    assert(range(TimestampType, "int96", epoch, epoch, Calendar(true, readsInt96AsStored = false)).isEmpty)
  }

  test("line 13: min or max that is NaN makes the range unknown") {
    assert(range(DoubleType, "double", Double.NaN, Double.NaN).isEmpty)
    assert(range(FloatType, "float", Float.NaN, Float.NaN).isEmpty)
  }

  test("line 32: ancient dates and timestamps of the old calendar are unknown, modern ones are not") {
    val old = Calendar(isProleptic = false)
    assert(range(DateType, "int32 {(DATE)}", -1000000, 20000, old).isEmpty)
    assert(range(DateType, "int32 {(DATE)}", 0, 20000, old).contains(Range(0, 20000)))
    assert(range(TimestampNTZType, "int32 {(DATE)}", -1000000, 20000, old).isEmpty)
    assert(range(TimestampNTZType, "int32 {(DATE)}", 0, 1, old).contains(Range(0L, 86400000000L)))
    val ancient = -50000000000000000L
    assert(range(TimestampType, "int64 {(TIMESTAMP(MICROS,true))}", ancient, 0L, old).isEmpty)
    assert(range(TimestampType, "int64 {(TIMESTAMP(MILLIS,true))}", ancient / 1000, 0L, old).isEmpty)
    assert(range(TimestampType, "int64 {(TIMESTAMP(MICROS,true))}", 0L, 5L, old).contains(Range(0L, 5L)))
    assert(range(TimestampNTZType, "int64 {(TIMESTAMP(MICROS,false))}", ancient, 0L, old).nonEmpty)
  }

  test("milliseconds beyond the range of microseconds, and decimals beyond their precision, are unknown") {
    assert(range(TimestampType, "int64 {(TIMESTAMP(MILLIS,true))}", Long.MinValue, 0L).isEmpty)
    assert(range(TimestampNTZType, "int32 {(DATE)}", 0, Int.MaxValue).isEmpty)
    assert(range(DecimalType(5, 2), "int32 {(DECIMAL(5,2))}", 0, 100000).isEmpty)
    assert(range(DecimalType(9, 2), "int32 {(DECIMAL(5,2))}", 0, 100000).isEmpty, "of the file's precision")
  }
}
