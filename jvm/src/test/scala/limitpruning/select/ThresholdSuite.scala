package limitpruning.select

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ThresholdSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val ascending: Ordering[Any] = Ordering.by((place: Any) => place.asInstanceOf[Int])

  private def threshold(limit: Long)(certain: (Int, Long)*): Threshold = {
    val found = new Threshold(limit, ascending)
    certain.foreach { case (place, rows) => found.add(place, rows) }
    found
  }

  test("adds up certain rows, in order, until there are enough") {
    val found = threshold(2)(7 -> 1, 5 -> 1, 9 -> 1)
    assert(found.place.contains(7) && found.rows == 2)
    assert(threshold(3)(7 -> 1, 5 -> 1, 9 -> 1).place.contains(9))
    assert(threshold(2)(7 -> 1, 5 -> 10).place.contains(5))
  }

  test("ties are candidates: only units strictly after the threshold are excluded") {
    val found = threshold(2)(7 -> 2)
    assert(!found.excludes(Some(7)) && !found.excludes(Some(6)) && found.excludes(Some(8)))
    assert(!found.excludes(None), "any place is possible")
  }

  test("line 82: a tie reaches the threshold, and so does what is after it") {
    val found = threshold(2)(7 -> 2)
    assert(found.isReachedBy(Some(7)) && found.isReachedBy(Some(8)) && !found.isReachedBy(Some(6)))
    assert(!found.isReachedBy(None), "any place is possible")
    assert(!threshold(2)(7 -> 1).isReachedBy(Some(8)), "too few rows are certain")
  }

  test("as long as too few rows are certain, nothing is excluded") {
    val found = threshold(4)(7 -> 3)
    assert(found.place.isEmpty && found.rows == 3 && !found.excludes(Some(100)))
    found.add(9, 1)
    assert(found.place.contains(9) && found.excludes(Some(100)))
  }

  test("gets better as more rows are certain, and never worse") {
    val found = threshold(2)(7 -> 5)
    found.add(9, 100)
    assert(found.place.contains(7) && found.rows == 5)
    found.add(1, 1)
    assert(found.place.contains(7) && found.rows == 6)
    found.add(2, 1)
    assert(found.place.contains(2) && found.rows == 2)
  }

  test("line 19: rows that overflow a Long when added, and units without rows") {
    assert(threshold(3)(1 -> Long.MaxValue, 2 -> Long.MaxValue).place.contains(1))
    assert(threshold(Long.MaxValue)(1 -> (Long.MaxValue - 1), 2 -> 5).place.contains(2))
    assert(threshold(1)(1 -> 0).place.isEmpty)
  }

  private val units = Gen.listOf(Gen.nonEmptyListOf(Gen.choose(0, 20)).map(_.take(6)))

  test("an excluded unit contains none of the first rows, whichever units are certain") {
    forAll(units, Gen.choose(1, 8), Gen.listOf(Gen.oneOf(true, false)), minSuccessful(500)) {
      (units, limit, certain) =>
        val found = new Threshold(limit.toLong, ascending)
        for ((rows, isCertain) <- units.zipAll(certain, Nil, false) if isCertain && rows.nonEmpty)
          found.add(rows.max, rows.size.toLong)
        val left = units.filterNot(rows => found.excludes(Some(rows.min)))
        assert(left.flatten.sorted.take(limit) == units.flatten.sorted.take(limit))
    }
  }
}
