package limitpruning.rows

import org.scalatest.funsuite.AnyFunSuite

class ExpectedRowsSuite extends AnyFunSuite {

  private def isNear(expected: Double, found: Double) = math.abs(found - expected) < expected * 0.05

  test("parts without common groups show that each part has others") {
    assert(ExpectedRows.inAll(parts = 2, inEach = 2000, together = 2000, all = 200) == 200000)
    assert(isNear(199000, ExpectedRows.inAll(parts = 8, inEach = 8000, together = 7993, all = 200)))
  }

  test("parts with the same groups show that all have these") {
    assert(isNear(1000, ExpectedRows.inAll(parts = 2, inEach = 2000, together = 1000, all = 200)))
    assert(isNear(30, ExpectedRows.inAll(parts = 8, inEach = 239, together = 30, all = 200)))
  }

  test("parts with some common groups show how many there are") {
    // Of 9,000 groups, each part has 500 at random.
    assert(isNear(9000, ExpectedRows.inAll(parts = 2, inEach = 1000, together = 972, all = 2000)))
    assert(isNear(6030, ExpectedRows.inAll(parts = 2, inEach = 1000, together = 972, all = 20)))
  }

  test("one part, or none with a row, shows nothing") {
    assert(ExpectedRows.inAll(parts = 1, inEach = 5000, together = 5000, all = 200) == 5000)
    assert(ExpectedRows.inAll(parts = 4, inEach = 0, together = 0, all = 200) == 0)
  }
}
