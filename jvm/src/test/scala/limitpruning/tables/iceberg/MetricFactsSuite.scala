package limitpruning.tables.iceberg

import java.lang.{Long => JavaLong}
import java.math.BigDecimal
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{DataFile, DataFiles, Metrics, PartitionSpec}
import org.apache.iceberg.expressions.Literal
import org.apache.iceberg.types.{Comparators, Conversions, Type}
import org.apache.iceberg.types.Types._
import org.apache.iceberg.util.UnicodeUtil
import org.apache.spark.sql.types.{
  BinaryType => SparkBinary, BooleanType => SparkBoolean, DataType, DateType => SparkDate, Decimal,
  DecimalType => SparkDecimal, DoubleType => SparkDouble, FloatType => SparkFloat,
  IntegerType => SparkInteger, LongType => SparkLong, StringType => SparkString, TimestampNTZType,
  TimestampType => SparkTimestamp
}
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.predicate.{ColumnFacts, Nulls, Values}

class MetricFactsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val Rows = 10L

  private def counts(count: Option[Long]): java.util.Map[Integer, JavaLong] =
    count.map(n => Map(Int.box(1) -> Long.box(n)).asJava).orNull

  private def bounds(bound: Option[ByteBuffer]): java.util.Map[Integer, ByteBuffer] =
    bound.map(bytes => Map(Int.box(1) -> bytes).asJava).orNull

  private def file(
      lower: Option[ByteBuffer],
      upper: Option[ByteBuffer],
      nulls: Option[Long] = Some(0),
      nans: Option[Long] = Some(0),
      values: Option[Long] = Some(Rows),
      name: String = "a.parquet",
      rowGroups: Int = 1
  ): DataFile =
    DataFiles.builder(PartitionSpec.unpartitioned()).withPath(name).withFileSizeInBytes(99)
      .withSplitOffsets((4L until 4L + rowGroups).map(Long.box).asJava)
      .withMetrics(new Metrics(
        Rows,
        null,
        counts(values),
        counts(nulls),
        counts(nans),
        bounds(lower),
        bounds(upper)
      )).build()

  private def bytes(written: Type, value: Any): Option[ByteBuffer] =
    Some(Conversions.toByteBuffer(written, value))

  private def facts(now: Type, dataType: DataType, file: DataFile): ColumnFacts =
    MetricFacts.of(file, NestedField.optional(1, "a", now), dataType).known

  private def range(now: Type, dataType: DataType, written: Type, low: Any, high: Any): Values =
    facts(now, dataType, file(bytes(written, low), bytes(written, high))).values

  private val int = IntegerType.get
  private val long = LongType.get
  private val double = DoubleType.get

  test("bounds of each type, in Catalyst's form") {
    val zoned = TimestampType.withZone
    val plain = TimestampType.withoutZone
    val decimal = DecimalType.of(9, 2)
    assert(range(int, SparkInteger, int, 3, 5) == Values.Range(3, 5))
    assert(range(long, SparkLong, long, 3L, 5L) == Values.Range(3L, 5L))
    assert(range(FloatType.get, SparkFloat, FloatType.get, 3f, 5f) == Values.Range(3f, 5f))
    assert(range(double, SparkDouble, double, -0.0, 5.0) == Values.Range(-0.0, 5.0))
    assert(range(BooleanType.get, SparkBoolean, BooleanType.get, false, true) == Values.Range(false, true))
    assert(range(DateType.get, SparkDate, DateType.get, -3, 5) == Values.Range(-3, 5))
    assert(range(zoned, SparkTimestamp, zoned, 3L, 5L) == Values.Range(3L, 5L))
    assert(range(plain, TimestampNTZType, plain, 3L, 5L) == Values.Range(3L, 5L))
    val (low, high) = (new BigDecimal("-3.25"), new BigDecimal("5.00"))
    assert(range(decimal, SparkDecimal(9, 2), decimal, low, high) ==
      Values.Range(Decimal("-3.25"), Decimal("5.00")))
    assert(range(StringType.get, SparkString, StringType.get, "a", "ü") ==
      Values.Range(UTF8String.fromString("a"), UTF8String.fromString("ü")))
    val Values.Range(first: Array[Byte], last: Array[Byte]) =
      range(
        BinaryType.get,
        SparkBinary,
        BinaryType.get,
        ByteBuffer.wrap(Array[Byte](1)),
        ByteBuffer.wrap(Array[Byte](-1))
      ): @unchecked
    assert(first.sameElements(Array[Byte](1)) && last.sameElements(Array[Byte](-1)))
  }

  test("bounds that were written before the type was widened") {
    assert(range(long, SparkLong, int, -3, 5) == Values.Range(-3L, 5L))
    assert(range(double, SparkDouble, FloatType.get, 0.1f, 5f) == Values.Range(0.1f.toDouble, 5.0))
    val (narrow, wide) = (DecimalType.of(4, 1), DecimalType.of(20, 1))
    assert(range(wide, SparkDecimal(20, 1), narrow, new BigDecimal("-0.5"), new BigDecimal("9.9")) ==
      Values.Range(Decimal("-0.5"), Decimal("9.9")))
  }

  test("bounds of another type prove nothing") {
    val zoned = TimestampType.withZone
    assert(range(zoned, SparkTimestamp, DateType.get, 3, 5) == Values.Unknown, "days are no microseconds")
    assert(range(int, SparkInteger, long, 3L, 5L) == Values.Unknown)
    assert(range(int, SparkLong, int, 3, 5) == Values.Unknown)
    val decimal = DecimalType.of(4, 2)
    val large = new BigDecimal("123456.78")
    assert(range(decimal, SparkDecimal(4, 2), decimal, large, large) == Values.Unknown)
    val id = java.util.UUID.randomUUID
    assert(range(UUIDType.get, SparkString, UUIDType.get, id, id) == Values.Unknown, "another order")
  }

  private def strings(low: ByteBuffer, high: ByteBuffer, name: String, rowGroups: Int): Values =
    facts(StringType.get, SparkString, file(Some(low), Some(high), name = name, rowGroups = rowGroups)).values

  private def strings(low: String, high: String, rowGroups: Int = 1): Values =
    strings(utf8(low), utf8(high), "a.parquet", rowGroups)

  private def utf8(text: String): ByteBuffer = ByteBuffer.wrap(text.getBytes(UTF_8))

  private def between(low: String, high: String): Values =
    Values.Range(UTF8String.fromString(low), UTF8String.fromString(high))

  test("line 90: U+FFFD may stand for bytes that are not UTF-8, and U+FFFE for the next character") {
    assert(strings("a", "b\uFFFD") == between("a", "c"), "what is before it is in the bytes")
    assert(strings("a", "b\uFFFE") == between("a", "c"))
    assert(strings("a\uFFFDb", "b") == between("a", "b"))
    assert(strings("é", "\uFFFD") == Values.Unknown)
    assert(strings("é", "\uFFFE") == Values.Unknown)
    assert(strings("é\uFFFD", "é\uFFFF") == Values.Unknown)
    assert(strings("é\uFFFE", "\uD83D\uDE00") == between("é\uFFFE", "\uD83D\uDE00"))
    val invalid = ByteBuffer.wrap(Array[Byte](97, -1))
    assert(strings(invalid, utf8("b"), "a.parquet", 1) == Values.Unknown)
    assert(strings(utf8("a"), invalid, "a.parquet", 1) == Values.Unknown)
  }

  test("line 90: of several row groups, of ORC and of imported files, the beginning in ASCII is certain") {
    for ((name, rowGroups) <- Seq("a.parquet" -> 0, "a.parquet" -> 2, "a.orc" -> 1)) {
      def ascii(low: String, high: String) = strings(utf8(low), utf8(high), name, rowGroups)
      assert(ascii("aé", "b") == between("a", "b"))
      assert(ascii("é", "b") == between("", "b"))
      assert(ascii("", "Mü") == between("", "N"))
      assert(ascii("", "ab\u007Fé") == between("", "ac"))
      for (none <- Seq("ü", "\u007Fü", "\uFFFD", "\uD83D\uDE00")) assert(ascii("", none) == Values.Unknown)
    }
  }

  test("line 90: strings are in the range, and Iceberg's reader finds the same, whatever bytes they have") {
    val characters =
      Seq("", "a", "b", "é", "я", "中", "\uFFFC", "\uFFFD", "\uFFFE", "\uD83D\uDE00", "\uDBFF\uDFFF")
    val bytes = Seq(0x00, 0x7f, 0x80, 0xbf, 0xc3, 0xed, 0xf4, 0xff)
    val pieces = Gen.oneOf(characters.map(_.getBytes(UTF_8)) ++ bytes.map(byte => Array(byte.toByte)))
    val string = Gen.choose(0, 3).flatMap(Gen.listOfN(_, pieces)).map(_.toArray.flatten)
    val rowGroup = Gen.choose(1, 3).flatMap(Gen.listOfN(_, string))
    val cases = Gen.zip(Gen.choose(1, 3).flatMap(Gen.listOfN(_, rowGroup)), Gen.oneOf(1, 2, 16))
    var known = 0
    forAll(cases, minSuccessful(3000)) { case (rowGroups, length) =>
      val (low, high) = boundsOf(rowGroups, length)
      val written = file(low.map(utf8), high.map(utf8), rowGroups = rowGroups.size)
      facts(StringType.get, SparkString, written).values match {
        case Values.Range(min: UTF8String, max: UTF8String) =>
          known += 1
          for (bytes <- rowGroups.flatten) {
            val value = UTF8String.fromBytes(bytes)
            assert(min.compareTo(value) <= 0 && value.compareTo(max) <= 0, s"$min, $max: ${bytes.toSeq}")
          }
          for (values <- rowGroups) {
            // Iceberg does not plan a file for a filter that its own bounds exclude.
            val (isBelow, isAbove) =
              (low.forall(order.lteq(_, max.toString)), high.forall(order.gteq(_, min.toString)))
            assert(!isBelow || order.lteq(textOf(values, _.min), max.toString), "s <= max skips a row group")
            assert(!isAbove || order.gteq(textOf(values, _.max), min.toString), "s >= min skips a row group")
          }
        case other => assert(other == Values.Unknown)
      }
    }
    assert(known > 300, "else the property says nothing")
  }

  private val order: Ordering[CharSequence] = Ordering.comparatorToOrdering(Comparators.charSequences)

  /** A bound of a row group as a Java string. */
  private def textOf(values: Seq[Array[Byte]], best: Seq[UTF8String] => UTF8String): CharSequence =
    new String(best(values.map(UTF8String.fromBytes)).getBytes, UTF_8)

  /** The bounds that Iceberg writes: of each row group by its bytes, of all of them as Java strings. */
  private def boundsOf(rowGroups: Seq[Seq[Array[Byte]]], length: Int): (Option[String], Option[String]) = {
    val low = rowGroups.map(textOf(_, _.min)).min(order)
    val high = rowGroups.map(textOf(_, _.max)).max(order)
    (
      Option(UnicodeUtil.truncateStringMin(low.toString, length)),
      Option(UnicodeUtil.truncateStringMax(high.toString, length))
    )
  }

  test("line 91: the default of a column that a file lacks, in Catalyst's form") {
    def missing(value: Literal[_], now: Type, dataType: DataType, readsDefaults: Boolean = true) =
      MetricFacts.ofMissing(
        NestedField.optional("a").withId(1).ofType(now).withInitialDefault(value).build(),
        dataType,
        readsDefaults
      )
    def text(value: String) = ColumnFacts.constant(UTF8String.fromString(value))
    assert(missing(Literal.of(7), int, SparkInteger) == ColumnFacts.constant(7))
    assert(missing(Literal.of(7), int, SparkInteger, readsDefaults = false) == ColumnFacts.Unknown)
    assert(missing(Literal.of(7L), long, SparkLong) == ColumnFacts.constant(7L))
    assert(missing(Literal.of(7), long, SparkLong) == ColumnFacts.constant(7L), "Iceberg widens it")
    assert(missing(Literal.of("x"), StringType.get, SparkString) == text("x"))
    assert(missing(Literal.of(Double.NaN), double, SparkDouble) == ColumnFacts.Unknown)
    assert(missing(Literal.of(7), int, SparkLong) == ColumnFacts.Unknown)
    val (plain, required) = (NestedField.optional(1, "a", int), NestedField.required(1, "a", int))
    assert(MetricFacts.ofMissing(plain, SparkInteger, readsDefaults = false) == ColumnFacts.AllNull)
    assert(MetricFacts.ofMissing(required, SparkInteger, readsDefaults = true) == ColumnFacts.Unknown)
  }

  test("NaN: without a count of 0, NaN is the greatest value, whatever the upper bound is") {
    def values(nans: Option[Long], low: Double = 1, high: Option[Double] = Some(5)) =
      facts(double, SparkDouble, file(bytes(double, low), high.flatMap(bytes(double, _)), nans = nans)).values
    def greatest(values: Values): Double = values match {
      case Values.Range(1.0, max: Double) => max
      case other => fail(other.toString)
    }
    assert(values(Some(0)) == Values.Range(1.0, 5.0))
    for (nans <- Seq(Some(1L), None); high <- Seq(Some(5.0), None, Some(Double.NaN)))
      assert(greatest(values(nans, high = high)).isNaN)
    assert(values(Some(0), high = None) == Values.Unknown)
    for (nans <- Seq(Some(0L), Some(1L), None)) assert(values(nans, Double.NaN) == Values.Unknown)
    val floats = file(bytes(FloatType.get, 1f), bytes(FloatType.get, 5f), nans = None)
    val Values.Range(1f, max: Float) = facts(FloatType.get, SparkFloat, floats).values: @unchecked
    assert(max.isNaN)
    val Values.Range(1.0, widened: Double) = facts(double, SparkDouble, floats).values: @unchecked
    assert(widened.isNaN)
  }

  test("nulls: a count that is missing is not 0") {
    def nulls(count: Option[Long], values: Option[Long] = Some(Rows)) =
      facts(int, SparkInteger, file(bytes(int, 3), bytes(int, 5), nulls = count, values = values))
    assert(nulls(Some(0)).nulls == Nulls.No)
    assert(nulls(Some(1)).nulls == Nulls.Unknown)
    assert(nulls(None).nulls == Nulls.Unknown)
    assert(nulls(None, None).values == Values.Range(3, 5))
    assert(facts(int, SparkInteger, file(None, None, nulls = Some(Rows))) == ColumnFacts.AllNull)
    val unsure = file(None, None, nulls = Some(Rows), values = None)
    assert(facts(int, SparkInteger, unsure) == ColumnFacts.Unknown)
  }

  test("a number of nulls is known only if it fits the number of values") {
    def count(nulls: Option[Long], values: Option[Long] = Some(Rows)) = MetricFacts.of(
      file(bytes(int, 3), bytes(int, 5), nulls = nulls, values = values),
      NestedField.optional(1, "a", int),
      SparkInteger
    ).nullCount
    assert(count(Some(0)).contains(0L) && count(Some(4)).contains(4L) && count(Some(Rows)).contains(Rows))
    assert(Seq(count(None), count(Some(4), None), count(Some(-1)), count(Some(Rows + 1))).forall(_.isEmpty))
    assert(count(Some(4), Some(Rows - 1)).isEmpty)
  }

  test("metrics that contradict each other, or lack a bound, prove nothing about values") {
    assert(range(int, SparkInteger, int, 5, 3) == Values.Unknown)
    assert(facts(int, SparkInteger, file(bytes(int, 3), None)).values == Values.Unknown)
    assert(facts(int, SparkInteger, file(None, bytes(int, 3))).values == Values.Unknown)
    val otherCount = file(bytes(int, 3), bytes(int, 5), values = Some(Rows - 1))
    assert(facts(int, SparkInteger, otherCount) == ColumnFacts.Unknown)
  }

  test("metrics of Avro files, and of some types in ORC files, are not used") {
    def inFile(name: String) = file(bytes(int, 3), bytes(int, 5), name = name)
    assert(facts(int, SparkInteger, inFile("a.avro")) == ColumnFacts.Unknown)
    assert(facts(int, SparkInteger, inFile("a.orc")) == facts(int, SparkInteger, inFile("a.parquet")))
    val date = DateType.get
    assert(facts(date, SparkDate, file(bytes(date, 3), bytes(date, 5), name = "a.orc")) ==
      ColumnFacts.Unknown)
  }
}
