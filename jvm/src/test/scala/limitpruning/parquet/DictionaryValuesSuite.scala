package limitpruning.parquet

import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, Nulls, Values}
import limitpruning.predicate.Values.{Finite, Range}

class DictionaryValuesSuite extends AnyFunSuite {

  private def values(sparkType: DataType, field: String, isProleptic: Boolean = true): DictionaryValues = {
    val column = MessageTypeParser.parseMessageType(s"message m { $field; }").getType(0).asPrimitiveType
    new DictionaryValues(sparkType, column, Calendar(isProleptic))
  }
  private val ints = values(IntegerType, "optional int32 c")
  private val doubles = values(DoubleType, "optional double c")
  private def between(min: Any, max: Any, nulls: Nulls = Nulls.No) = ColumnFacts(Range(min, max), nulls)

  test("should return the entries as the only values, with the nulls that are known") {
    for (nulls <- Seq(Nulls.No, Nulls.Unknown))
      assert(ints.within(Seq(7, 1), between(1, 7, nulls)) == ColumnFacts(Finite(Seq(7, 1)), nulls))
    assert(ints.within(Seq(7, 1), ColumnFacts.Unknown) == ColumnFacts(Finite(Seq(7, 1)), Nulls.Unknown))
  }

  test("should return values in Spark's representation, because predicates are evaluated over them") {
    val strings = values(StringType, "optional binary c (STRING)")
    assert(strings.within(Seq(Binary.fromString("é")), ColumnFacts.Unknown).values ==
      Finite(Seq(UTF8String.fromString("é"))))
    val millis = values(TimestampType, "optional int64 c (TIMESTAMP(MILLIS,true))")
    assert(millis.within(Seq(-5L), ColumnFacts.Unknown).values == Finite(Seq(-5000L)))
    val decimals = values(DecimalType(5, 2), "optional int32 c (DECIMAL(5,2))")
    assert(decimals.within(Seq(150), ColumnFacts.Unknown).values ==
      Finite(Seq(Decimal(BigDecimal("1.50"), 5, 2))))
  }

  test("should drop entries outside of the known range, because no row has them") {
    assert(ints.within(Seq(0, 3, 9), between(1, 5)).values == Finite(Seq(3)))
    assert(ints.within(Seq(1, 5), between(1, 5)).values == Finite(Seq(1, 5)), "bounds are values, too")
  }

  test("should return the range of many values, which are not stored one by one") {
    val many = (1 to 2 * DictionaryValues.MostFew).reverse
    assert(ints.within(many, ColumnFacts.Unknown).values == Range(1, 2 * DictionaryValues.MostFew))
    assert(ints.within(many, between(5, 9)).values == Range(5, 9), "no row has the others")
    assert(ints.within(many, between(-9, -5)) == between(-9, -5), "a contradiction")
    assert(ints.within(many :+ "x", ColumnFacts.Unknown) == ColumnFacts.Unknown)
    val floats = many.map(_.toDouble)
    assert(doubles.within(floats, between(1.0, Double.NaN)).values ==
      Range(1.0, 2.0 * DictionaryValues.MostFew))
    val Range(_, max) = doubles.within(floats :+ Double.NaN, between(1.0, Double.NaN)).values: @unchecked
    assert(max.toString == "NaN")
  }

  test("should trust neither if the dictionary and the range contradict each other") {
    assert(ints.within(Seq(8, 9), between(1, 5)) == between(1, 5))
    assert(ints.within(Nil, between(1, 5)) == between(1, 5))
  }

  test("line 2: should keep a column all null, because no row uses the dictionary then") {
    assert(ints.within(Seq(1), ColumnFacts.AllNull) == ColumnFacts.AllNull)
  }

  test("line 46: should return a float as it is, because a dictionary contains NaN but min and max do not") {
    val Finite(found) = doubles.within(Seq(1.0, Double.NaN), between(1.0, Double.NaN)).values: @unchecked
    assert(found.map(_.toString) == Seq("1.0", "NaN"))
    assert(doubles.within(Seq(1.0, 2.0), between(1.0, Double.NaN)).values == Finite(Seq(1.0, 2.0)))
  }

  test("line 12: should find a zero of either sign in a range that ends with the other") {
    val Finite(found) = doubles.within(Seq(-0.0, 5.0), between(0.0, Double.NaN)).values: @unchecked
    assert(found.size == 2)
  }

  test("should narrow nothing if one entry is invalid, because the others may be wrong, too") {
    val bytes = values(ByteType, "optional int32 c (INTEGER(8,true))")
    assert(bytes.within(Seq(1, 300), ColumnFacts.Unknown) == ColumnFacts.Unknown)
    assert(bytes.within(Seq(1, 30), ColumnFacts.Unknown).values == Finite(Seq(1.toByte, 30.toByte)))
    val decimals = values(DecimalType(5, 2), "optional int32 c (DECIMAL(5,2))")
    assert(decimals.within(Seq(1, 100000), ColumnFacts.Unknown) == ColumnFacts.Unknown)
    assert(ints.within(Seq(1, "x"), ColumnFacts.Unknown) == ColumnFacts.Unknown)
  }

  test("line 32: should not convert ancient days of the old calendar, because they are read as other days") {
    val old = values(DateType, "optional int32 c (DATE)", isProleptic = false)
    assert(old.within(Seq(0, -1000000), ColumnFacts.Unknown) == ColumnFacts.Unknown)
    assert(old.within(Seq(0, 20000), ColumnFacts.Unknown).values == Finite(Seq(0, 20000)))
  }

  test("line 29: should convert the entries of a column that was widened, one by one, NaN too") {
    def widened(sparkType: DataType, field: String, entries: Any*): Values =
      values(sparkType, field).within(entries, ColumnFacts.Unknown).values
    assert(widened(LongType, "optional int32 c", 1, -5) == Finite(Seq(1L, -5L)))
    assert(widened(DoubleType, "optional int32 c", 1, -5) == Finite(Seq(1.0, -5.0)))
    assert(widened(TimestampNTZType, "optional int32 c (DATE)", 1) == Finite(Seq(86400000000L)))
    assert(widened(DecimalType(7, 3), "optional int32 c (DECIMAL(5,2))", 150) ==
      Finite(Seq(Decimal("1.500"))))
    val Finite(floats) = widened(DoubleType, "optional float c", 0.1f, Float.NaN): @unchecked
    assert(floats.head == 0.1f.toDouble && floats(1).toString == "NaN")
  }

  test("line 29: should read nothing of pairs of types that are not trusted") {
    for (
      unreadable <- Seq(
        values(IntegerType, "optional int64 c"),
        values(DoubleType, "optional int64 c"),
        values(LongType, "optional int96 c"),
        values(StringType("UTF8_LCASE"), "optional binary c (STRING)")
      )
    ) {
      assert(!unreadable.isReadable)
      assert(unreadable.within(Seq(1, 2.0, 2.0f), ColumnFacts.Unknown).values == Values.Unknown)
    }
    assert(ints.isReadable && doubles.isReadable)
  }

  private def int96(nanos: Long, day: Int): Binary = Binary.fromConstantByteArray(
    ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putLong(nanos).putInt(day).array
  )
  private val epoch = 2440588
  private val of1900 = epoch - 25567
  private val int96s = values(TimestampType, "optional int96 c")

  test("line 17: should return INT96 timestamps in microseconds, as Spark reads them") {
    val stored =
      Seq(int96(0, epoch), int96(1999, epoch + 1), int96(-1, epoch), int96(90000L * 1000000000, epoch))
    assert(int96s.within(stored, ColumnFacts.Unknown).values ==
      Finite(Seq(0L, 86400000001L, 0L, 90000000000L)))
  }

  test("line 32: should not trust an INT96 timestamp that a reader may rebase") {
    val later = Seq(int96(0, epoch), int96(0, of1900 + 1))
    assert(int96s.within(later, ColumnFacts.Unknown).values != Values.Unknown)
    for (value <- Seq(int96(0, of1900 - 400), int96(0, 0), int96(Long.MinValue, 0)))
      assert(int96s.within(Seq(int96(0, epoch), value), ColumnFacts.Unknown) == ColumnFacts.Unknown)
  }

  test("line 17: should not trust INT96 timestamps that the reader shifts, or reads as another type") {
    val column =
      MessageTypeParser.parseMessageType("message m { optional int96 c; }").getType(0).asPrimitiveType
    val shifted =
      new DictionaryValues(TimestampType, column, Calendar(isProleptic = true, readsInt96AsStored = false))
    assert(!shifted.isReadable)
    assert(shifted.within(Seq(int96(0, epoch)), ColumnFacts.Unknown) == ColumnFacts.Unknown)
    for (other <- Seq(TimestampNTZType, LongType, BinaryType))
      assert(!values(other, "optional int96 c").isReadable)
  }
}
