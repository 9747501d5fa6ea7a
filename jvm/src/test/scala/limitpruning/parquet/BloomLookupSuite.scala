package limitpruning.parquet

import java.nio.file.Path

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.values.bloomfilter.{BlockSplitBloomFilter, BloomFilter}
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{MessageTypeParser, PrimitiveType}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{OneColumn, TempFolder}

class BloomLookupSuite extends AnyFunSuite with TempFolder {
  private val conf = new Configuration()
  private val newCalendar = Calendar(isProleptic = true)

  private def column(field: String): PrimitiveType =
    MessageTypeParser.parseMessageType(s"message m { $field; }").getType(0).asPrimitiveType

  private def lookup(spark: DataType, field: String, calendar: Calendar = newCalendar): BloomLookup =
    new BloomLookup(spark, column(field), calendar)

  /** A filter with these stored values, with the hashes that a writer uses. */
  private def filterOf(stored: Any*): BloomFilter = {
    val filter = new BlockSplitBloomFilter(1024)
    stored.foreach(v => filter.insertHash(filter.hash(v)))
    filter
  }

  private def string(s: String) = UTF8String.fromString(s)
  private def bytes(b: Byte*) = Binary.fromConstantByteArray(b.toArray)
  private def chunk(min: Any, max: Any, mayBeCut: Boolean = false) =
    ColumnChunk(rows = 10, values = 10, Some(0L), Some((min, max)), mayBeCut)

  /**
   * For each pair of types: a written value, in its stored form and in that of Spark, and a value that was
   * not written.
   */
  private val cases: Seq[(DataType, String, Any, Any, Any)] = Seq(
    (ByteType, "required int32 c (INTEGER(8,true))", 5, 5.toByte, 6.toByte),
    (ShortType, "required int32 c (INTEGER(16,true))", -5, (-5).toShort, 6.toShort),
    (IntegerType, "required int32 c", 5, 5, 6),
    (LongType, "required int64 c", 1L << 40, 1L << 40, 6L),
    (DateType, "required int32 c (DATE)", 19000, 19000, 19001),
    (LongType, "required int32 c", 5, 5L, 6L),
    (ShortType, "required int32 c (INTEGER(8,false))", 200, 200.toShort, 56.toShort),
    (IntegerType, "required int32 c (INTEGER(16,false))", 65535, 65535, -1),
    (LongType, "required int32 c (INTEGER(32,false))", -5, 4294967291L, 5L),
    (
      DecimalType(20, 0),
      "required int64 c (INTEGER(64,false))",
      -1L,
      Decimal("18446744073709551615"),
      Decimal("1")
    ),
    (DoubleType, "required int32 c", 0, -0.0, 1.0),
    (TimestampNTZType, "required int32 c (DATE)", 1, 86400000000L, 2 * 86400000000L),
    (DecimalType(12, 2), "required int32 c", 5, Decimal("5.00"), Decimal("6.00")),
    (DecimalType(22, 2), "required int64 c", 5L, Decimal("5.00"), Decimal("6.00")),
    (DecimalType(12, 4), "required int32 c (DECIMAL(9,2))", -250, Decimal("-2.5000"), Decimal("2.5000")),
    (TimestampType, "required int64 c (TIMESTAMP(MICROS,true))", 1234567L, 1234567L, 1234568L),
    (TimestampType, "required int64 c (TIMESTAMP(MILLIS,true))", -1234L, -1234000L, 1235000L),
    (TimestampNTZType, "required int64 c (TIMESTAMP(MICROS,false))", 1234567L, 1234567L, 1234568L),
    (StringType, "required binary c (STRING)", "é", string("é"), string("e")),
    (BinaryType, "required binary c", "ab", "ab".getBytes, "abc".getBytes),
    (DecimalType(9, 2), "required int32 c (DECIMAL(9,2))", -250, Decimal("-2.50"), Decimal("2.50")),
    (DecimalType(18, 2), "required int64 c (DECIMAL(18,2))", 250L, Decimal("2.50"), Decimal("25.00")),
    (
      DecimalType(20, 0),
      "required fixed_len_byte_array(9) c (DECIMAL(20,0))",
      Array.fill[Byte](8)(-1) :+ (-2).toByte,
      Decimal("-2"),
      Decimal("254")
    )
  )

  test("excludes values that were not written, and no value that was, for each pair of types") {
    for ((spark, field, stored, written, absent) <- cases) {
      val path: Path = OneColumn.write(folder.resolve("types.parquet"), field, Seq(stored))(
        _.withBloomFilterEnabled(true).withBloomFilterNDV("c", 100)
      )
      val file = status(path)
      val footer = new FooterReader(conf).read(file, FileColumns.All)
      val reader = new ChunkReader(file, footer, Storage(conf))
      val Some(filter) = reader.bloomFilter(0, 0, 1 << 20): @unchecked
      reader.close()
      val asked = lookup(spark, field)
      assert(asked.isAnswerable, field)
      assert(asked.isPlausible(filter, footer.statement(0, 0, ColumnPath.get("c")).get), field)
      assert(!asked.excludes(filter, written), field)
      assert(asked.excludes(filter, absent), field)
      assert(!asked.excludes(filter, null), field)
    }
  }

  test("line 12: floats are never looked up: equal zeros have two stored forms, NaN has many") {
    for ((spark, field) <- Seq(FloatType -> "required float c", DoubleType -> "required double c")) {
      assert(!lookup(spark, field).isAnswerable)
      assert(!lookup(spark, field).excludes(filterOf(-0.0f, -0.0d), if (spark == FloatType) 0.0f else 0.0d))
    }
  }

  test("line 32: dates and timestamps that are rebased when they are read are never looked up") {
    val old = Calendar(isProleptic = false)
    for (
      (spark, field, value) <- Seq(
        (DateType, "required int32 c (DATE)", 19000),
        (TimestampType, "required int64 c (TIMESTAMP(MICROS,true))", 1700000000000000L)
      )
    ) {
      assert(!lookup(spark, field, old).isAnswerable)
      assert(!lookup(spark, field, old).excludes(filterOf(1), value), "not even recent ones")
    }
    assert(lookup(TimestampNTZType, "required int64 c (TIMESTAMP(MICROS,false))", old).isAnswerable)
  }

  test("line 17, 29: pairs of types whose stored values differ from the read values are never looked up") {
    for (
      (spark, field) <- Seq(
        DoubleType -> "required float c",
        IntegerType -> "required int32 c (INTEGER(32,false))",
        TimestampType -> "required int96 c",
        TimestampType -> "required int64 c (TIMESTAMP(NANOS,true))",
        DecimalType(9, 3) -> "required int32 c (DECIMAL(9,2))",
        DecimalType(12, 2) -> "required int64 c (DECIMAL(9,2))",
        DecimalType(20, 0) -> "required binary c (DECIMAL(20,0))",
        StringType("UTF8_LCASE") -> "required binary c (STRING)",
        StringType -> "required binary c",
        BooleanType -> "required boolean c"
      )
    ) assert(!lookup(spark, field).isAnswerable, field)
  }

  test("values that cannot be stored are not excluded, because they are not looked up") {
    val millis = lookup(TimestampType, "required int64 c (TIMESTAMP(MILLIS,true))")
    assert(millis.excludes(filterOf(1L), 2000L) && !millis.excludes(filterOf(1L), 2001L))
    val narrow = lookup(DecimalType(2, 0), "required fixed_len_byte_array(1) c (DECIMAL(2,0))")
    assert(narrow.excludes(filterOf(bytes(1)), Decimal("127")))
    assert(!narrow.excludes(filterOf(bytes(1)), Decimal("128")))
    val long = lookup(LongType, "required int32 c")
    assert(!long.excludes(filterOf(5), (1L << 32) + 6) && long.excludes(filterOf(5), 6L))
    val unsigned = lookup(LongType, "required int32 c (INTEGER(32,false))")
    assert(!unsigned.excludes(filterOf(5), -6L) && !unsigned.excludes(filterOf(5), (1L << 32) + 6))
    assert(unsigned.excludes(filterOf(5), 1L << 31))
    val unsignedLong = lookup(DecimalType(20, 0), "required int64 c (INTEGER(64,false))")
    for (value <- Seq("-6", "18446744073709551616"))
      assert(!unsignedLong.excludes(filterOf(5L), Decimal(BigDecimal(value), 20, 0)), value)
    val double = lookup(DoubleType, "required int32 c")
    for (value <- Seq(6.5, 3e9, Double.NaN)) assert(!double.excludes(filterOf(5), value))
    val rescaled = lookup(DecimalType(12, 4), "required int32 c (DECIMAL(9,2))")
    assert(!rescaled.excludes(filterOf(250), Decimal("2.5001")), "it cannot be stored")
    val noon = lookup(TimestampNTZType, "required int32 c (DATE)")
    assert(!noon.excludes(filterOf(1), 43200000000L))
    val decimal = lookup(DecimalType(9, 2), "required int32 c (DECIMAL(9,2))")
    assert(!decimal.excludes(filterOf(1), Decimal("99999999999.99")))
    assert(!decimal.excludes(filterOf(250), Decimal("2.5")), "of another scale")
    assert(!decimal.excludes(filterOf(250), "2.50"), "of another class")
  }

  test("line 49: strings are compared by their bytes, valid or not") {
    val invalid = Array[Byte](-1, 'x')
    val strings = lookup(StringType, "required binary c (STRING)")
    assert(!strings.excludes(filterOf(bytes(invalid.toSeq: _*)), UTF8String.fromBytes(invalid)))
    assert(strings.excludes(filterOf(Binary.fromString("\ufffdx")), UTF8String.fromBytes(invalid)))
  }

  test("line 48: a filter that excludes the chunk's own min or max is not plausible") {
    val ints = lookup(IntegerType, "required int32 c")
    assert(ints.isPlausible(filterOf(1, 9), chunk(1, 9)))
    assert(!ints.isPlausible(filterOf(1), chunk(1, 9)) && !ints.isPlausible(filterOf(9), chunk(1, 9)))
    val strings = lookup(StringType, "required binary c (STRING)")
    val (a, b) = (Binary.fromString("a"), Binary.fromString("b"))
    assert(!strings.isPlausible(filterOf(a), chunk(a, b)))
    assert(strings.isPlausible(filterOf(a), chunk(a, b, mayBeCut = true)), "a cut bound need not be a value")
  }

  test("a filter whose chunk has no min and max, or values that do not fit Spark's type, is not trusted") {
    val ints = lookup(IntegerType, "required int32 c")
    assert(!ints.isPlausible(filterOf(1), chunk(1, 1).copy(minMax = None)))
    val shorts = lookup(ByteType, "required int32 c (INTEGER(8,true))")
    assert(!shorts.isPlausible(filterOf(1, 256), chunk(1, 256)), "256 is read as 0")
  }
}
