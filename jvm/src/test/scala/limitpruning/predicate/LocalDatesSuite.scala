package limitpruning.predicate

import java.time.{Instant, ZoneId}

import scala.util.Random

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.scalatest.funsuite.AnyFunSuite

class LocalDatesSuite extends AnyFunSuite {

  private def micros(instant: String): Long = DateTimeUtils.instantToMicros(Instant.parse(instant))

  private def neverGoBack(zone: String, from: String, to: String): Boolean =
    LocalDates.neverGoBack(Some(zone))(micros(from), micros(to))

  // At 00:01 on November 7, the clocks of St. John's went back to 23:01 on November 6.
  private val StJohns = "America/St_Johns"
  private val change = "2010-11-07T02:31:00Z"

  test(
    "line 26: should reject a range in which clocks go back across midnight, because a date occurs twice"
  ) {
    assert(!neverGoBack(StJohns, "2010-11-07T02:00:00Z", "2010-11-07T04:00:00Z"))
    assert(!neverGoBack(StJohns, "2000-01-01T00:00:00Z", "2020-01-01T00:00:00Z"))
  }

  test("should count a change at the end of the range, but not before or after the range") {
    assert(!neverGoBack(StJohns, "2010-11-07T02:00:00Z", change))
    assert(neverGoBack(StJohns, "2010-11-07T02:00:00Z", "2010-11-07T02:30:59.999999Z"))
    assert(neverGoBack(StJohns, change, "2010-11-08T00:00:00Z"), "from the change on, there is none")
  }

  test("should accept a range in which clocks go back within a day, because the date does not change") {
    assert(neverGoBack("America/New_York", "2010-01-01T00:00:00Z", "2020-01-01T00:00:00Z"))
    assert(neverGoBack("Europe/Berlin", "2010-01-01T00:00:00Z", "2020-01-01T00:00:00Z"))
  }

  test("should accept a range that skips a day, and reject one that repeats a day") {
    assert(neverGoBack("Pacific/Apia", "2011-12-30T00:00:00Z", "2011-12-31T00:00:00Z"))
    assert(
      !neverGoBack("America/Sitka", "1867-01-01T00:00:00Z", "1868-01-01T00:00:00Z"),
      "Alaska changed sides"
    )
  }

  test("should accept any range if the offset is fixed") {
    for (zone <- Seq("UTC", "+05:30", "GMT+3"))
      assert(LocalDates.neverGoBack(Some(zone))(Long.MinValue, Long.MaxValue), zone)
  }

  test("should accept no range with more changes than are examined, because the next may go back") {
    assert(!neverGoBack("America/New_York", "1900-01-01T00:00:00Z", "9000-01-01T00:00:00Z"))
    // Two changes a year, from March 2010 on: the last one of 999 is in March 2509.
    assert(neverGoBack("America/New_York", "2010-01-01T00:00:00Z", "2509-07-01T00:00:00Z"))
    assert(!neverGoBack("America/New_York", "2010-01-01T00:00:00Z", "2509-12-31T00:00:00Z"))
  }

  test("should accept no range if the time zone or an end is not known") {
    assert(!LocalDates.neverGoBack(None)(0L, 1L))
    assert(!LocalDates.neverGoBack(Some("UTC"))(null, 1L))
    assert(!LocalDates.neverGoBack(Some("UTC"))(0L, 1))
  }

  test("line 26: should have a fixed offset only if no clock ever changes") {
    def isFixed(zone: Option[String]) = LocalDates.haveFixedOffset(zone)(0L, 1L)
    assert(isFixed(Some("UTC")) && isFixed(Some("-02:00")))
    assert(!isFixed(Some("America/New_York")) && !isFixed(Some("Asia/Tokyo")) && !isFixed(None))
  }

  test("line 26: local times should go back if clocks do, on any day") {
    def timesNeverGoBack(zone: String, from: String, to: String) =
      LocalDates.timesNeverGoBack(Some(zone))(micros(from), micros(to))
    val NewYork = "America/New_York" // set back at 06:00 on 2024-11-03, set forward at 07:00 on 2024-03-10
    assert(!timesNeverGoBack(NewYork, "2024-11-03T05:00:00Z", "2024-11-03T06:00:00Z"))
    assert(timesNeverGoBack(NewYork, "2024-11-03T05:00:00Z", "2024-11-03T05:59:59.999999Z"))
    assert(timesNeverGoBack(NewYork, "2024-11-03T06:00:00Z", "2025-11-02T05:00:00Z"))
    assert(!timesNeverGoBack(NewYork, "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"))
    assert(timesNeverGoBack("Pacific/Apia", "2011-12-30T00:00:00Z", "2011-12-31T00:00:00Z"), "a skipped day")
    assert(LocalDates.timesNeverGoBack(Some("+01:00"))(Long.MinValue, Long.MaxValue))
    assert(!LocalDates.timesNeverGoBack(None)(0L, 1L) && !LocalDates.timesNeverGoBack(Some("UTC"))(0L, null))
  }

  test("should never accept a range with two instants on days in the wrong order") {
    val random = new Random(7)
    val zones =
      Seq(StJohns, "America/Havana", "America/Sao_Paulo", "Asia/Beirut", "America/Sitka", "Africa/Cairo")
    var claimed = 0
    for (zone <- zones; _ <- 1 to 200) {
      val start = Instant.ofEpochSecond(random.between(-3300000000L, 1700000000L))
      val instants = (0 to 24 * 20).map(hour => start.plusSeconds(hour * 1800L))
      val dates = instants.map(_.atZone(ZoneId.of(zone)).toLocalDate)
      val isOrdered = dates.zip(dates.tail).forall { case (a, b) => !a.isAfter(b) }
      val ends = Seq(instants.head, instants.last).map(DateTimeUtils.instantToMicros(_))
      val claim = LocalDates.neverGoBack(Some(zone))(ends.head, ends.last)
      assert(!claim || isOrdered, s"$zone from $start on")
      if (claim) claimed += 1
      val times = instants.map(_.atZone(ZoneId.of(zone)).toLocalDateTime)
      val areTimesOrdered = times.zip(times.tail).forall { case (a, b) => !a.isAfter(b) }
      assert(
        !LocalDates.timesNeverGoBack(Some(zone))(ends.head, ends.last) || areTimesOrdered,
        s"$zone from $start on"
      )
    }
    assert(claimed > 1000, "most ranges of ten days have no such change")
  }
}
