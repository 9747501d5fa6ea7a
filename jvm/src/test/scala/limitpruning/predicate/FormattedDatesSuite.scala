package limitpruning.predicate

import java.time.{Instant, LocalDate}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range

class FormattedDatesSuite extends AnyFunSuite with MonotoneChecks {
  private val (date, instant, local, long) =
    (of(DateType), of(TimestampType), of(TimestampNTZType), of(LongType))
  private val StJohns = "America/St_Johns"

  private def micros(text: String): Long = DateTimeUtils.instantToMicros(Instant.parse(text))
  private def day(text: String): Int = LocalDate.parse(text).toEpochDay.toInt
  private def strings(from: String, to: String): Values =
    Range(UTF8String.fromString(from), UTF8String.fromString(to))
  private def format(pattern: String, zone: String = "UTC"): Expression =
    DateFormatClass(instant, string(pattern), Some(zone))
  private def ofInstants(function: Expression, from: String, to: String): Values =
    image(function, micros(from), micros(to))

  test("dates and times rise as strings, with the zeros at the end of a fraction omitted") {
    assert(image(Cast(date, StringType), day("2023-12-31"), day("2024-06-01")) ==
      strings("2023-12-31", "2024-06-01"))
    for (function <- Seq(Cast(instant, StringType, Some("UTC")), Cast(local, StringType)))
      assert(ofInstants(function, "2023-12-31T23:59:59.1Z", "2024-02-29T00:00:00Z") ==
        strings("2023-12-31 23:59:59.1", "2024-02-29 00:00:00"))
    assert(ofInstants(
      Cast(instant, StringType, Some("+05:45")),
      "2024-01-01T00:00:00Z",
      "2024-01-01T00:00:00.01Z"
    ) ==
      strings("2024-01-01 05:45:00", "2024-01-01 05:45:00.01"))
  }

  test("formats with units in descending order from the year on rise, with any separators") {
    val (from, to) = ("2023-12-31T23:59:59.9Z", "2024-02-29T05:06:07Z")
    for (
      (pattern, first, last) <- Seq(
        ("yyyy", "2023", "2024"),
        ("yyyy-MM", "2023-12", "2024-02"),
        ("yyyyMM", "202312", "202402"),
        ("yyyyMMdd", "20231231", "20240229"),
        ("yyyy/MM/dd", "2023/12/31", "2024/02/29"),
        ("yyyy-MM-dd HH", "2023-12-31 23", "2024-02-29 05"),
        ("yyyy.MM.dd_HH:mm", "2023.12.31_23:59", "2024.02.29_05:06"),
        ("yyyy-MM-dd'T'HH:mm:ss", "2023-12-31T23:59:59", "2024-02-29T05:06:07")
      )
    ) {
      assert(ofInstants(format(pattern), from, to) == strings(first, last), pattern)
      assert(
        image(
          FromUnixTime(long, string(pattern), Some("UTC")),
          micros(from) / 1000000,
          micros(to) / 1000000
        ) ==
          strings(first, last),
        pattern
      )
    }
  }

  test(
    "line 24: other formats are unknown: a unit is missing, in another order, or has not always the same digits"
  ) {
    for (
      pattern <- Seq(
        "",
        "MM",
        "HH:mm",
        "dd-MM-yyyy",
        "yyyy-dd",
        "yyyy-MM-HH",
        "yyyy-mm",
        "yyyy-M",
        "y-MM",
        "yy-MM",
        "yyyyy",
        "YYYY-MM",
        "yyyy-MMM",
        "yyyy-MM-dd hh:mm",
        "yyyy-MM-dd EEE",
        "yyyy-MM-dd HH:mm:ss.SSS",
        "yyyy[-MM]",
        "Gyyyy",
        "yyyy-DD",
        "yyyy'x",
        "yyyy-MM-ddX"
      )
    )
      assert(MonotoneFunctions.unapply(format(pattern)).isEmpty, pattern)
    assert(MonotoneFunctions.unapply(DateFormatClass(instant, of(StringType), Some("UTC"))).isEmpty)
    assert(MonotoneFunctions.unapply(DateFormatClass(
      instant,
      Literal(null, StringType),
      Some("UTC")
    )).isEmpty)
    assert(MonotoneFunctions.unapply(DateFormatClass(instant, string("yyyy"), None)).isEmpty)
    for (number <- Seq(of(IntegerType), long, of(DoubleType), of(BooleanType), of(DecimalType(5, 2))))
      assert(MonotoneFunctions.unapply(Cast(number, StringType, Some("UTC"))).isEmpty, number.dataType)
  }

  test("line 24: years before 1 and after 9999 have a sign, so they are in another order") {
    val cast = Cast(date, StringType)
    val (first, last) = (day("0001-01-01"), day("9999-12-31"))
    assert(image(cast, first, last) == strings("0001-01-01", "9999-12-31"))
    assert(image(cast, first - 100, last) == Values.Unknown)
    assert(image(cast, first, last + 1) == Values.Unknown)
    for (function <- Seq(Cast(instant, StringType, Some("UTC")), format("yyyy-MM-dd"))) {
      assert(ofInstants(function, "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z") != Values.Unknown)
      assert(ofInstants(function, "0000-12-31T23:59:59Z", "9999-12-31T23:59:59Z") == Values.Unknown)
      assert(ofInstants(function, "0001-01-01T00:00:00Z", "+10000-01-01T00:00:00Z") == Values.Unknown)
    }
    // The years are those of local time.
    assert(ofInstants(format("yyyy", "+05:30"), "2024-01-01T00:00:00Z", "9999-12-31T23:59:59Z") ==
      Values.Unknown)
    val fromUnix = FromUnixTime(long, string("yyyy"), Some("UTC"))
    assert(image(fromUnix, 0L, 253402300799L) == strings("1970", "9999"))
    assert(image(fromUnix, 0L, 253402300800L) == Values.Unknown)
    // As microseconds, these wrap around to small numbers.
    assert(image(fromUnix, 0L, 18446744073710L) == Values.Unknown)
    assert(image(fromUnix, -18446744073709L, 0L) == Values.Unknown)
    assert(image(fromUnix, Long.MinValue, Long.MaxValue) == Values.Unknown)
  }

  test(
    "line 26: times as strings do not rise if clocks are set back, dates if they are set back across midnight"
  ) {
    val (from, to) =
      ("2024-11-03T05:30:00Z", "2024-11-03T07:00:00Z") // at 06:00, 02:00 became 01:00 in New York
    val NewYork = "America/New_York"
    assert(ofInstants(Cast(instant, StringType, Some(NewYork)), from, to) == Values.Unknown)
    assert(ofInstants(format("yyyy-MM-dd HH", NewYork), from, to) == Values.Unknown)
    assert(ofInstants(format("yyyy-MM-dd", NewYork), from, to) == strings("2024-11-03", "2024-11-03"))
    assert(ofInstants(format("yyyy-MM-dd HH", NewYork), "2024-11-03T06:00:00Z", to) ==
      strings("2024-11-03 01", "2024-11-03 02"))
    assert(ofInstants(format("yyyy-MM", StJohns), "2010-11-07T02:00:00Z", "2010-11-07T03:00:00Z") ==
      Values.Unknown)
  }

  test("with the formatters of Spark 2, nothing is known") {
    withConf("spark.sql.legacy.timeParserPolicy" -> "legacy") {
      for (
        function <-
          Seq(format("yyyy"), Cast(date, StringType), FromUnixTime(long, string("yyyy"), Some("UTC")))
      )
        assert(MonotoneFunctions.unapply(function).isEmpty, function)
    }
    for (policy <- Seq("CORRECTED", "EXCEPTION"))
      withConf("spark.sql.legacy.timeParserPolicy" -> policy) {
        assert(MonotoneFunctions.unapply(format("yyyy")).nonEmpty, policy)
      }
  }

  test("no string over any range is outside of those of the ends") {
    val bases = Seq(
      "0000-12-31T23:59:59Z",
      "1582-10-15T00:00:00Z",
      "1883-11-18T17:00:00Z",
      "2010-11-07T02:31:00Z",
      "2011-12-30T10:00:00Z",
      "2024-02-29T00:00:00Z",
      "9999-12-31T23:59:59Z"
    ).map(micros)
    val offsets = Seq(0L, 1L, 90000L, 100000L, 1000000L, 60000000L, 3600000000L, 86400000000L)
    val instants = bases.flatMap(b => offsets.flatMap(o => Seq(b + o, b - o))) :+ Long.MaxValue :+
      Long.MinValue
    val patterns = Seq("yyyy", "yyyyMMdd", "yyyy-MM-dd HH", "yyyy-MM-dd HH:mm:ss")
    for (zone <- Seq("UTC", StJohns, "America/New_York", "Pacific/Apia")) {
      for (function <- Cast(instant, StringType, Some(zone)) +: patterns.map(format(_, zone)))
        assert(countRanges(function, instants) > 100, s"$function in $zone")
      for (pattern <- patterns)
        assert(countRanges(
          FromUnixTime(long, string(pattern), Some(zone)),
          instants.map(Math.floorDiv(_, 1000000L)) :+ Long.MaxValue :+ Long.MinValue
        ) > 100)
    }
    assert(countRanges(Cast(local, StringType), instants) > 100)
    val days = instants.map(i => Math.floorDiv(i, 86400000000L).toInt) :+ Int.MinValue :+ Int.MaxValue
    assert(countRanges(Cast(date, StringType), days) > 100)
  }
}
