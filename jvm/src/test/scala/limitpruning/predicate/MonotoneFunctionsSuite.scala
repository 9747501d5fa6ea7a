package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.column

class MonotoneFunctionsSuite extends AnyFunSuite {
  private def of(dataType: DataType): AttributeReference = AttributeReference("c", dataType)()
  private val (int, long, double) = (of(IntegerType), of(LongType), of(DoubleType))
  private val (date, instant, text) = (of(DateType), of(TimestampType), of(StringType))
  private def string(value: String): Literal = Literal(UTF8String.fromString(value), StringType)

  /** The facts about a function over a range that is too long to enumerate. */
  private def image(function: Expression, min: Any, max: Any): Values = {
    val input = function.references.head
    val operands = new Operands(Map(column(input).id -> 0), _ => _ => Outcomes.Any)
    operands.facts(function)(_ => ColumnFacts(Range(min, max), Nulls.No)).values
  }

  private def legacy[T](body: => T): T = {
    val conf = new SQLConf
    conf.setConf(SQLConf.ANSI_ENABLED, false)
    SQLConf.withExistingConf(conf)(body)
  }

  test("a rising function keeps the order of the ends, a falling one reverses it") {
    assert(image(Add(int, Literal(5)), 0, 1000) == Range(5, 1005))
    assert(image(Subtract(Literal(5), int), 0, 1000) == Range(-995, 5))
    assert(image(UnaryMinus(int), 0, 1000) == Range(-1000, 0))
    assert(image(Multiply(int, Literal(-3)), 0, 1000) == Range(-3000, 0))
    assert(image(Cast(int, LongType), 0, 1000) == Range(0L, 1000L))
    assert(image(Year(date), 0, 1000) == Range(1970, 1972))
    assert(image(DateAdd(date, Literal(5)), 0, 1000) == Range(5, 1005))
    assert(image(DateSub(date, Literal(5)), 0, 1000) == Range(-5, 995))
    assert(image(UnixSeconds(instant), -1L, 1000000L) == Range(-1L, 1L))
  }

  test("each monotone function has the values between those of the ends") {
    val (day, half) = (86400000000L, 43200000000L)
    val utc = Some("UTC")
    def decimal(value: String): Decimal = Decimal(BigDecimal(value), 5, 2)
    val price = of(DecimalType(5, 2))
    val (low, high) = (decimal("-1.25"), decimal("2.75"))
    def ends(function: Expression, min: Any, max: Any): (String, String) = image(function, min, max) match {
      case Range(from, to) => (from.toString, to.toString)
      case other => fail(s"$function: $other")
    }
    assert(image(UnixDate(date), 0, 1000) == Range(0, 1000))
    assert(image(UnixMillis(instant), 0L, day) == Range(0L, day / 1000))
    assert(image(UnixMicros(instant), 0L, day) == Range(0L, day))
    assert(image(Cast(instant, LongType, utc), 0L, day) == Range(0L, day / 1000000))
    assert(image(Cast(date, TimestampType, utc), 0, 1000) == Range(0L, 1000 * day))
    assert(image(Cast(date, TimestampNTZType), 0, 1000) == Range(0L, 1000 * day))
    assert(image(TruncDate(date, string("MM")), 0, 1000) == Range(0, 974))
    assert(image(TruncTimestamp(string("DAY"), instant, utc), half, 2 * day + half) == Range(0L, 2 * day))
    val format = string("yyyy-MM-dd")
    assert(image(UnixTimestamp(instant, format, utc), 0L, day) == Range(0L, day / 1000000))
    assert(image(ToUnixTimestamp(instant, format, utc), 0L, day) == Range(0L, day / 1000000))
    assert(image(KnownNotNull(int), 0, 1000) == Range(0, 1000))
    assert(image(Cast(of(ShortType), IntegerType), 0.toShort, 1000.toShort) == Range(0, 1000))
    assert(image(Cast(int, DoubleType), 0, 1000) == Range(0.0, 1000.0))
    assert(image(Cast(int, IntegerType), 0, 1000) == Range(0, 1000))
    assert(image(Cast(of(FloatType), DoubleType), 0f, 8f) == Range(0.0, 8.0))
    assert(image(Add(Literal(5), int), 0, 1000) == Range(5, 1005))
    assert(image(Subtract(int, Literal(5)), 0, 1000) == Range(-5, 995))
    assert(image(Multiply(int, Literal(3)), 0, 1000) == Range(0, 3000))
    assert(image(Multiply(Literal(3), int), 0, 1000) == Range(0, 3000))
    assert(image(Multiply(double, Literal(3.0)), 0.0, 8.0) == Range(0.0, 24.0))
    assert(image(Multiply(int, Literal(1)), 0, Int.MaxValue) == Range(0, Int.MaxValue))
    assert(image(Round(int, Literal(-1)), 4, 1006) == Range(0, 1010))
    assert(ends(Cast(price, DecimalType(6, 3)), low, high) == (("-1.250", "2.750")))
    assert(ends(Cast(price, DoubleType), low, high) == (("-1.25", "2.75")))
    assert(ends(UnaryMinus(price), low, high) == (("-2.75", "1.25")))
    assert(ends(Floor(price), low, high) == (("-2", "2")))
    assert(ends(Ceil(price), low, high) == (("-1", "3")))
    assert(ends(RoundFloor(price, Literal(1)), low, high) == (("-1.3", "2.7")))
    assert(ends(RoundCeil(price, Literal(1)), low, high) == (("-1.2", "2.8")))
    assert(ends(Round(price, Literal(1)), low, high) == (("-1.3", "2.8")))
    assert(ends(BRound(price, Literal(1)), low, high) == (("-1.2", "2.8")))
  }

  test("functions of other arguments are unknown") {
    val format = string("yyyy-MM-dd")
    for (
      function <- Seq(
        UnixTimestamp(text, format, Some("UTC")),
        ToUnixTimestamp(text, format, Some("UTC")),
        Year(instant),
        TruncDate(date, text),
        DateAdd(date, int),
        DateSub(date, int),
        Round(int, int),
        BRound(int, int),
        RoundFloor(int, int),
        RoundCeil(int, int),
        Add(int, Literal(null, IntegerType)),
        Add(double, Literal(Double.NaN)),
        Add(double, Literal(Double.PositiveInfinity)),
        Subtract(int, long),
        Multiply(int, Literal(0)),
        Substring(text, Literal(1), int),
        TruncTimestamp(text, instant, Some("UTC")),
        Cast(text, DateType, Some("UTC")),
        Cast(instant, StringType, Some("UTC")),
        UnaryMinus(double)
      )
    )
      assert(MonotoneFunctions.unapply(function).isEmpty, function)
  }

  test("a unit that is null gives null") {
    val function = TruncTimestamp(Literal(null, StringType), instant, Some("UTC"))
    assert(image(function, 0L, 86400000000L) == Values.Unknown)
  }

  test("line 24: if an end overflows, nothing is known, with ANSI on or off") {
    def overflowing: Seq[Expression] =
      Seq(
        Add(int, Literal(1)),
        UnaryMinus(Subtract(int, Literal(Int.MaxValue))),
        DateAdd(date, Literal(Int.MaxValue))
      )
    for (function <- overflowing ++ legacy(overflowing))
      assert(image(function, 0, Int.MaxValue) == Values.Unknown ||
        image(function, -9, Int.MaxValue) == Values.Unknown)
    assert(legacy(image(UnaryMinus(int), Int.MinValue, 0)) == Values.Unknown)
  }

  test("a product that wraps around between its ends does not count as rising") {
    // At both ends, the wrapped product is small and in order. Between them it is not.
    val function = legacy(Multiply(long, Literal(Long.MaxValue)))
    assert(image(function, 0L, 1000L) == Values.Unknown)
    assert(legacy(image(Multiply(int, Literal(1 << 20)), 0, 1 << 20)) == Values.Unknown)
    // -2^31 and 2^31 + 10, which wraps to -2^31 + 10: the ends are in order, and the values between them are not.
    assert(legacy(image(Multiply(int, Literal(2)), -(1 << 30), (1 << 30) + 5)) == Values.Unknown)
    assert(legacy(image(Multiply(int, Literal(2)), -(1 << 30), 1 << 30)) == Values.Unknown)
  }

  test("line 10: a function that does not keep NaN the greatest value does not support floats") {
    val upToNaN = (0.0, Double.NaN)
    for (
      function <- Seq(
        UnaryMinus(double),
        Floor(double),
        Ceil(double),
        RoundFloor(double, Literal(1)),
        RoundCeil(double, Literal(1)),
        Round(double, Literal(1)),
        BRound(double, Literal(1)),
        Subtract(Literal(1.0), double),
        Multiply(double, Literal(-1.0)),
        Multiply(Literal(-1.0), double),
        Multiply(double, Literal(0.0))
      )
    )
      assert(image(function, upToNaN._1, upToNaN._2) == Values.Unknown, function)
    image(Add(double, Literal(1.5)), 0.0, Double.NaN) match {
      case Range(min, max: Double) => assert(min == 1.5 && max.isNaN)
      case other => fail(other.toString)
    }
  }

  test("line 24: casts that are not monotone are unknown") {
    for (
      cast <- Seq(
        Cast(text, IntegerType),
        Cast(int, StringType),
        Cast(long, IntegerType),
        Cast(double, IntegerType)
      )
    )
      assert(MonotoneFunctions.unapply(cast).isEmpty, cast)
  }

  test("line 26: local dates are monotone only if no clock was set back across midnight") {
    val (before, after) =
      (
        1289088000000000L,
        1289174400000000L
      ) // 2010-11-07, when the clocks of St. John's went back from 00:01 to 23:01
    def toDate(zone: String) = image(Cast(instant, DateType, Some(zone)), before, after)
    assert(toDate("America/St_Johns") == Values.Unknown)
    assert(toDate("UTC") == Range(14920, 14921))
    assert(toDate("America/New_York") == Range(14919, 14920))
    assert(image(TruncTimestamp(string("HOUR"), instant, Some("America/New_York")), before, after) ==
      Values.Unknown)
    assert(image(TruncTimestamp(string("HOUR"), instant, Some("UTC")), before, after) != Values.Unknown)
  }

  test("a prefix of fixed length is monotone, a part from the middle is not") {
    val (ibex, sheep) = (UTF8String.fromString("Alpine Ibex"), UTF8String.fromString("Alpine Sheep"))
    val prefix = UTF8String.fromString("Alp")
    assert(image(Substring(text, Literal(1), Literal(3)), ibex, sheep) == Range(prefix, prefix))
    val (bear, bro) = (UTF8String.fromString("Brown Bear"), UTF8String.fromString("Bro"))
    assert(image(Substring(text, Literal(1), Literal(3)), ibex, bear) == Range(prefix, bro))
    assert(MonotoneFunctions.unapply(Substring(text, Literal(2), Literal(3))).isEmpty)
  }
}
