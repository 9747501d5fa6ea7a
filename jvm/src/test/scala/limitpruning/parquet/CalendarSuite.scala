package limitpruning.parquet

import java.time.LocalDate

import org.scalatest.funsuite.AnyFunSuite

class CalendarSuite extends AnyFunSuite {
  private def of(keyValues: Map[String, String], rebaseMode: String): Calendar =
    Calendar.of(keyValues, rebaseMode)

  private val version = "org.apache.spark.version"
  private val legacy = "org.apache.spark.legacyDateTime"
  private val medieval = LocalDate.of(1500, 1, 1).toEpochDay
  private val micros = 24L * 3600 * 1000 * 1000

  private def trustsAncient(calendar: Calendar): Boolean = {
    val answers = Set(calendar.trustsDays(medieval.toInt), calendar.trustsMicros(medieval * micros))
    assert(answers.size == 1, "dates and timestamps must be treated alike")
    answers.head
  }

  test("line 32: files of Spark 3 and later are not rebased, unless they are marked as legacy") {
    assert(trustsAncient(of(Map(version -> "4.0.0"), "LEGACY")))
    assert(!trustsAncient(of(Map(version -> "4.0.0", legacy -> ""), "CORRECTED")))
  }

  test("line 32: files of Spark 2 are in the old calendar, whatever the setting") {
    for (mode <- Seq("LEGACY", "CORRECTED", "EXCEPTION"))
      assert(!trustsAncient(of(Map(version -> "2.4.5"), mode)))
  }

  test("files of other writers are read according to the setting") {
    assert(trustsAncient(of(Map.empty, "CORRECTED")))
    assert(!trustsAncient(of(Map.empty, "LEGACY")))
    assert(!trustsAncient(of(Map.empty, "EXCEPTION")))
  }

  test("modern days and instants are the same in both calendars") {
    val old = of(Map(version -> "2.4.5"), "LEGACY")
    for (date <- Seq(LocalDate.of(1900, 1, 2), LocalDate.of(2024, 2, 29))) {
      assert(old.trustsDays(date.toEpochDay.toInt))
      assert(old.trustsMicros(date.toEpochDay * micros))
    }
    assert(!old.trustsDays(LocalDate.of(1582, 10, 14).toEpochDay.toInt))
  }
}
