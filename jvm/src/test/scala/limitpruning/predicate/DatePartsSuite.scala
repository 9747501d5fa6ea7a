package limitpruning.predicate

import java.time.{Instant, LocalDate}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range

class DatePartsSuite extends AnyFunSuite with MonotoneChecks {
  private val (date, instant, local) = (of(DateType), of(TimestampType), of(TimestampNTZType))

  private def day(text: String): Int = LocalDate.parse(text).toEpochDay.toInt
  private def micros(text: String): Long = DateTimeUtils.instantToMicros(Instant.parse(text))
  private def image(part: Expression => Expression, from: String, to: String): Values =
    image(part(date), day(from), day(to))
  private val unknown = Values.Unknown

  test("a month, a quarter and a day of the year rise within a year, and begin again with the next one") {
    assert(image(Month(_), "2024-01-01", "2024-12-31") == Range(1, 12))
    assert(image(Quarter(_), "2024-01-01", "2024-12-31") == Range(1, 4))
    assert(image(DayOfYear(_), "2024-02-29", "2024-12-31") == Range(60, 366))
    for (part <- Seq[Expression => Expression](Month(_), Quarter(_), DayOfYear(_)))
      assert(image(part, "2023-10-01", "2024-12-31") == unknown, "2024-01-01 is between them")
    assert(image(Month(_), "0000-01-01", "0000-12-31") == Range(1, 12))
    assert(image(Month(_), "-0001-01-01", "0000-12-31") == unknown)
  }

  test("a day rises within a month, also of another year's month of the same number") {
    def ofInstant(from: String, to: String) =
      super.image(DayOfMonth(Cast(instant, DateType, Some("UTC"))), micros(from), micros(to))
    assert(ofInstant("2024-02-01T00:00:00Z", "2024-02-29T23:59:59.999999Z") == Range(1, 29))
    assert(ofInstant("2024-02-28T00:00:00Z", "2024-03-01T00:00:00Z") == unknown)
    assert(ofInstant("2023-02-01T00:00:00Z", "2024-02-29T00:00:00Z") == unknown)
  }

  test("a week of the year rises within the year of its weeks, which does not begin in January") {
    // Week 1 of 2025 begins on 2024-12-30.
    assert(image(WeekOfYear(_), "2024-01-01", "2024-12-29") == Range(1, 52))
    assert(image(WeekOfYear(_), "2024-01-01", "2024-12-30") == unknown)
    assert(image(WeekOfYear(_), "2024-12-30", "2025-12-28") == Range(1, 52))
    assert(image(WeekOfYear(_), "2021-01-01", "2021-06-01") == unknown, "2021-01-01 is in week 53 of 2020")
    assert(image(YearOfWeek(_), "2020-12-31", "2024-12-30") == Range(2020, 2025))
  }

  test("a day of the week rises within a week, which begins on Sunday or on Monday") {
    // 2024-03-03 is a Sunday.
    def ofInstant(part: Expression => Expression, from: String, to: String) =
      super.image(part(Cast(instant, DateType, Some("UTC"))), micros(from), micros(to))
    assert(ofInstant(DayOfWeek(_), "2024-03-03T00:00:00Z", "2024-03-09T00:00:00Z") == Range(1, 7))
    assert(ofInstant(DayOfWeek(_), "2024-03-03T00:00:00Z", "2024-03-10T00:00:00Z") == unknown)
    assert(ofInstant(WeekDay(_), "2024-03-04T00:00:00Z", "2024-03-10T00:00:00Z") == Range(0, 6))
    assert(ofInstant(WeekDay(_), "2024-03-03T00:00:00Z", "2024-03-04T00:00:00Z") == unknown)
  }

  test("an hour rises within a local day, a minute within an hour, a second within a minute") {
    def hour(zone: String, from: String, to: String) =
      super.image(Hour(instant, Some(zone)), micros(from), micros(to))
    assert(hour("UTC", "2024-03-03T00:00:00Z", "2024-03-03T23:59:59.999999Z") == Range(0, 23))
    assert(hour("UTC", "2024-03-03T00:00:00Z", "2024-03-04T00:00:00Z") == unknown)
    assert(hour("Asia/Kathmandu", "2024-03-03T00:00:00Z", "2024-03-03T18:14:59Z") == Range(5, 23))
    assert(hour("Asia/Kathmandu", "2024-03-03T00:00:00Z", "2024-03-03T18:15:00Z") == unknown)
    val (minute, second) = (Minute(instant, Some("UTC")), Second(instant, Some("UTC")))
    val fraction = SecondWithFraction(instant, Some("UTC"))
    val (from, inMinute, inHour) =
      (micros("2024-03-03T05:10:00Z"), micros("2024-03-03T05:10:59.25Z"), micros("2024-03-03T05:59:00Z"))
    val next = micros("2024-03-03T06:00:00Z")
    assert(super.image(minute, from, inHour) == Range(10, 59) && super.image(minute, from, next) == unknown)
    assert(super.image(second, from, inMinute) == Range(0, 59) &&
      super.image(second, from, inHour) == unknown)
    assert(super.image(fraction, from, inMinute) == Range(Decimal("0.000000"), Decimal("59.250000")))
    assert(super.image(fraction, from, inHour) == unknown)
    assert(super.image(Hour(local), from, next) == Range(5, 6), "local times have no zone")
  }

  test("line 26: an hour does not rise if clocks are set back within the day, but if they are set forward") {
    def hour(from: String, to: String) =
      super.image(Hour(instant, Some("America/New_York")), micros(from), micros(to))
    // At 06:00Z on November 3, 02:00 became 01:00. At 07:00Z on March 10, 02:00 became 03:00.
    assert(hour("2024-11-03T05:00:00Z", "2024-11-03T06:00:00Z") == unknown)
    assert(hour("2024-11-03T05:00:00Z", "2024-11-03T05:59:59.999999Z") == Range(1, 1))
    assert(hour("2024-11-03T06:00:00Z", "2024-11-03T07:00:00Z") == Range(1, 2))
    assert(hour("2024-03-10T06:00:00Z", "2024-03-10T08:00:00Z") == Range(1, 4))
    // Half an hour back, so that minutes go back, but hours do not.
    val minute = Minute(instant, Some("Australia/Lord_Howe"))
    assert(super.image(minute, micros("2024-04-06T14:45:00Z"), micros("2024-04-06T15:10:00Z")) == unknown)
  }

  test("line 24: no part over any range has a value outside of that of the ends") {
    val dates = Seq(
      "-0001-12-31",
      "0000-01-01",
      "0000-12-31",
      "0001-01-01",
      "1582-10-15",
      "1969-12-31",
      "2021-01-03",
      "2023-12-31",
      "2024-02-29",
      "2024-12-29",
      "9999-12-31",
      "+10000-01-01"
    ).map(day)
    val days = dates.flatMap(d => Seq(-65, -31, -7, -1, 0, 1, 6, 70, 300).map(d + _)) ++
      Seq(Int.MinValue, Int.MaxValue)
    val ofDates = Seq[Expression => Expression](
      Month(_),
      Quarter(_),
      DayOfYear(_),
      DayOfMonth(_),
      WeekOfYear(_),
      YearOfWeek(_),
      WeekDay(_),
      DayOfWeek(_)
    )
    for (part <- ofDates.map(_(date))) {
      // Ranges within a month or a week are so short that all of their values are computed.
      val isLong = !part.isInstanceOf[DayOfMonth] && !part.isInstanceOf[WeekDay] &&
        !part.isInstanceOf[DayOfWeek]
      assert(countRanges(part, days) > 0 == isLong, part)
    }

    val changes = Map(
      "UTC" -> "2023-12-31T23:59:59Z",
      "America/St_Johns" -> "2010-11-07T02:31:00Z",
      "America/New_York" -> "1883-11-18T17:00:00Z", // from local mean time, 3 minutes and 58 seconds back
      "Pacific/Apia" -> "2011-12-30T10:00:00Z", // a day is skipped
      "Australia/Lord_Howe" -> "2024-04-06T15:00:00Z" // half an hour back
    )
    val offsets = Seq(
      0L,
      1L,
      100000L,
      1000000L,
      59000000L,
      60000000L,
      1800000000L,
      3600000000L,
      7200000000L,
      86400000000L,
      6 * 86400000000L
    )
    for ((zone, change) <- changes) {
      val instants = offsets.flatMap(o => Seq(micros(change) + o, micros(change) - o)) ++
        Seq(Long.MinValue, Long.MaxValue, 0L)
      for (
        part <- ofDates.map(_(Cast(instant, DateType, Some(zone)))) ++
          Seq(
            Hour(instant, Some(zone)),
            Minute(instant, Some(zone)),
            Second(instant, Some(zone)),
            SecondWithFraction(instant, Some(zone))
          )
      )
        assert(countRanges(part, instants) > 0, s"$part in $zone")
    }
    for (part <- Seq(Hour(local), Minute(local), Second(local), SecondWithFraction(local)))
      assert(countRanges(part, offsets.flatMap(o => Seq(o, -o))) > 0, part)
  }

  test("parts of other types, or without a time zone, are unknown") {
    for (
      part <- Seq(
        Hour(instant, None),
        Second(instant, None),
        Month(instant),
        WeekDay(local),
        Hour(date, Some("UTC"))
      )
    )
      assert(MonotoneFunctions.unapply(part).isEmpty, part)
  }
}
