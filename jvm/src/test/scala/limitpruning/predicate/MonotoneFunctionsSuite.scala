package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range

class MonotoneFunctionsSuite extends AnyFunSuite with MonotoneChecks {
  private val (int, long, double) = (of(IntegerType), of(LongType), of(DoubleType))
  private val (date, instant, text) = (of(DateType), of(TimestampType), of(StringType))

  private def legacy[T](body: => T): T = withConf("spark.sql.ansi.enabled" -> "false")(body)

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
        UnaryMinus(double)
      )
    )
      assert(MonotoneFunctions.unapply(function).isEmpty, function)
  }

  private def decimal(value: String, precision: Int, scale: Int): Literal =
    Literal(Decimal(BigDecimal(value), precision, scale), DecimalType(precision, scale))

  test("a quotient rises with a positive divisor and falls with a negative one") {
    assert(image(Divide(double, Literal(4.0)), -1.0, 8.0) == Range(-0.25, 2.0))
    assert(image(Divide(double, Literal(-4.0)), -1.0, 8.0) == Range(-2.0, 0.25))
    assert(image(Divide(Cast(int, DoubleType), Literal(2.0)), -1000, 1001) == Range(-500.0, 500.5))
    assert(image(IntegralDivide(long, Literal(7L)), -1000L, 1000L) == Range(-142L, 142L))
    assert(image(IntegralDivide(long, Literal(-7L)), -1000L, 1000L) == Range(-142L, 142L))
    assert(image(IntegralDivide(long, Literal(-1L)), -Long.MaxValue, 1000L) == Range(-1000L, Long.MaxValue))
    val price = of(DecimalType(5, 2))
    val (low, high) = (decimal("-0.01", 5, 2).value, decimal("999.99", 5, 2).value)
    for (divisor <- Seq("3.00", "-3.00", "0.07", "999.99"))
      assert(image(Divide(price, decimal(divisor, 5, 2)), low, high) != Values.Unknown, divisor)
  }

  test("line 10: a quotient keeps NaN the greatest value if it rises, and infinities in their order") {
    image(Divide(double, Literal(2.0)), Double.NegativeInfinity, Double.NaN) match {
      case Range(min, max: Double) => assert(min == Double.NegativeInfinity && max.isNaN)
      case other => fail(other.toString)
    }
    assert(image(Divide(double, Literal(-2.0)), 0.0, Double.NaN) == Values.Unknown)
    assert(image(Divide(double, Literal(-2.0)), 0.0, Double.PositiveInfinity) ==
      Range(Double.NegativeInfinity, -0.0))
    for (
      divisor <-
        Seq(
          Literal(0.0),
          Literal(-0.0),
          Literal(Double.NaN),
          Literal(Double.PositiveInfinity),
          Literal(null, DoubleType)
        )
    )
      assert(MonotoneFunctions.unapply(Divide(double, divisor)).isEmpty, divisor)
    assert(MonotoneFunctions.unapply(Divide(Literal(1.0), double)).isEmpty)
    assert(MonotoneFunctions.unapply(IntegralDivide(long, Literal(0L))).isEmpty)
    assert(MonotoneFunctions.unapply(IntegralDivide(Literal(1L), long)).isEmpty)
    val price = of(DecimalType(5, 2))
    assert(MonotoneFunctions.unapply(IntegralDivide(price, decimal("2.00", 5, 2))).isEmpty)
  }

  test(
    "line 24: a quotient that overflows at an end, or is rounded, has no value outside of those of the ends"
  ) {
    val doubles = SampleTypes.of(DoubleType).values ++
      Seq(Double.MaxValue, -Double.MaxValue, 1e-320, 3.0, -7.25)
    for (divisor <- Seq(3.0, -3.0, 1e-310, -1e-310, 1e308, Double.MinPositiveValue))
      assert(countRanges(Divide(double, Literal(divisor)), doubles) > 0, divisor)
    val longs = Seq(Long.MinValue, Long.MinValue + 1, -8L, -7L, -1L, 0L, 1L, 6L, 7L, Long.MaxValue)
    def quotients =
      Seq(1L, -1L, 7L, -7L, Long.MaxValue, Long.MinValue).map(n => IntegralDivide(long, Literal(n)))
    for (quotient <- quotients ++ legacy(quotients)) assert(countRanges(quotient, longs) > 0, quotient)
    assert(legacy(image(IntegralDivide(long, Literal(-1L)), Long.MinValue, 1000L)) == Values.Unknown)
    val huge = DecimalType(38, 0)
    val most = "9" * 38
    val numbers = Seq("-" + most, "-1", "0", "1", "4", "5", "15", "9" * 30, most).map(decimal(_, 38, 0).value)
    // With 0.01 as divisor, only small numbers do not overflow. Without ANSI mode, the others give null.
    def ofDecimals = Seq("0.01", "-0.01", "3.00", "-7.00").map(d => Divide(of(huge), decimal(d, 38, 2)))
    for (quotient <- ofDecimals ++ legacy(ofDecimals)) assert(countRanges(quotient, numbers) > 0, quotient)
  }

  test("months that are added, last days and differences of days rise, also at the end of months") {
    val days = Seq(
      "0000-12-31",
      "0001-01-01",
      "1970-01-01",
      "2023-01-28",
      "2023-12-31",
      "2024-01-29",
      "2024-02-29",
      "2024-03-31",
      "9999-12-31"
    ).map(java.time.LocalDate.parse(_).toEpochDay.toInt)
    val all = days.flatMap(d => (-3 to 3).map(d + _)) ++
      Seq(Int.MinValue, Int.MinValue + 40, Int.MaxValue - 40, Int.MaxValue)
    val functions = Seq(1, -1, 12, 0, 13, Int.MaxValue, Int.MinValue).map(n => AddMonths(date, Literal(n))) ++
      Seq(LastDay(date)) ++ Seq(0, 20000, Int.MaxValue, Int.MinValue).map(Literal(_, DateType))
        .flatMap(d => Seq(DateDiff(date, d), DateDiff(d, date)))
    for (function <- functions) {
      val isOutOfRange =
        function.children.exists(c => c == Literal(Int.MaxValue) || c == Literal(Int.MinValue))
      assert(countRanges(function, all) > 0 || isOutOfRange, function)
    }
    def day(text: String) = java.time.LocalDate.parse(text).toEpochDay.toInt
    assert(image(AddMonths(date, Literal(1)), day("2024-01-29"), day("2024-05-31")) ==
      Range(day("2024-02-29"), day("2024-06-30")))
    assert(image(LastDay(date), day("2024-01-31"), day("2024-06-30")) ==
      Range(day("2024-01-31"), day("2024-06-30")))
    assert(image(DateDiff(date, Literal(10, DateType)), 0, 1000) == Range(-10, 990))
    assert(image(DateDiff(Literal(10, DateType), date), 0, 1000) == Range(-990, 10))
    assert(
      image(DateDiff(date, Literal(Int.MinValue, DateType)), -1000, 1000) == Values.Unknown,
      "it wraps around"
    )
    for (function <- Seq(AddMonths(date, int), DateDiff(date, of(DateType)), DateDiff(of(DateType), date)))
      assert(MonotoneFunctions.unapply(function).isEmpty, function)
  }

  test("line 24: at the ends of a type, no function has a value outside of those of the ends") {
    val more: Map[DataType, Seq[Any]] = Map(
      IntegerType -> Seq(Int.MinValue + 1, -1000, 1000, Int.MaxValue - 1),
      LongType -> Seq(Long.MinValue + 1, -(1L << 62), -1000L, 1000L, 1L << 40, 1L << 62, Long.MaxValue - 1),
      DateType ->
        (Seq(Int.MinValue, Int.MaxValue) ++ (1 to 14).flatMap(i =>
          Seq(Int.MinValue + i * 31, Int.MaxValue - i * 31, i * 31)
        )),
      TimestampType ->
        (Seq(Long.MaxValue) ++ (1L to 1000000000000L by 99999999999L).flatMap(i =>
          Seq(Long.MinValue + i, Long.MaxValue - i, i)
        ))
    )
    for {
      sample <- SampleTypes.all
      isAnsi <- Seq(true, false)
      function <- RandomFunctions.functions(of(sample.dataType), isAnsi)
    } countRanges(function, sample.values ++ more.getOrElse(sample.dataType, Nil))
    // The first of the month of the first date wraps around to the last one, so that both ends are in order.
    for (unit <- Seq("MM", "WEEK", "QUARTER", "YEAR"))
      assert(image(TruncDate(date, string(unit)), Int.MinValue, Int.MaxValue) == Values.Unknown, unit)
    assert(image(LastDay(date), Int.MinValue, Int.MaxValue) == Values.Unknown)
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
