package limitpruning.rows

import org.scalatest.funsuite.AnyFunSuite

class NextWaveSuite extends AnyFunSuite {

  private val next = NextWave(partitions = 1000, initial = 1, scaleUp = 4, cores = 8)

  test(
    "the first job reads as much as the first one of take, and the second one as much as there are cores"
  ) {
    assert(next.size(0, 0, 0, 0, 10) == 1)
    assert(next.size(1, 1, 1, 0, 10) == 8)
    assert(next.copy(initial = 5).size(5, 5, 1, 0, 10) == 20)
  }

  test("if no row was found, the third job reads all the rest") {
    assert(next.size(9, 8, 2, 0, 10) == 991)
  }

  test("if rows were found, the third job reads so much as the missing rows should need") {
    assert(next.size(9, 8, 2, 5, 10) == 32)
    assert(next.size(9, 8, 2, 5, 100) == 270)
    // More than half of the rest.
    assert(next.size(9, 8, 2, 1, 100) == 991)
  }

  test("the fourth job reads all the rest") {
    assert(next.size(279, 270, 3, 100, 5) == 721)
  }

  test("if it is known how many rows match, the first job reads so much as the missing rows should need") {
    def first(rows: Double, missing: Long) = next.copy(learned = Some(rows)).size(0, 0, 0, 0, missing)
    assert(first(1000, 10) == 15)
    assert(first(100000, 10) == 1)
    assert(first(20, 10) == 1000)
    assert(first(0, 10) == 1000)
    assert(next.copy(learned = Some(1000), initial = 20).size(0, 0, 0, 0, 10) == 20)
    // If fewer matched than expected.
    assert(next.copy(learned = Some(1000)).size(2, 2, 1, 0, 10) == 8)
    assert(next.copy(learned = Some(1000)).size(10, 8, 2, 0, 10) == 990)
    assert(next.copy(learned = Some(1000)).size(15, 15, 1, 5, 5) == 23)
    assert(next.copy(learned = Some(1000)).size(75, 75, 1, 9, 1) == 13)
  }

  test("the tasks of a job return at most ten million rows") {
    assert(next.copy(partitions = 5000).size(9, 8, 2, 0, 100000) == 100)
    assert(next.copy(partitions = 5000).size(109, 100, 3, 0, 100000) == 100)
    assert(next.copy(partitions = 5000, cores = 300).size(301, 300, 2, 0, 100000) == 300)
  }

  test("no job reads more than there is, and each of them reads something") {
    for {
      partitions <- Seq(1, 2, 9, 1000, Int.MaxValue)
      initial <- Seq(1, 3, Int.MaxValue)
      scaleUp <- Seq(1, 4, Int.MaxValue)
      found <- Seq(0L, 1L, 99L, 99999L)
      learned <- Seq(None, Some(0.0), Some(1.0), Some(1e12))
      missing = if (partitions > 1000) 1L else 100000 - found
    } {
      val next = NextWave(partitions, initial, scaleUp, cores = 2, learned)
      val sizes = Iterator.iterate((0, 0, 0)) { case (done, _, wave) =>
        val size = next.size(done, if (wave == 0) 0 else done, wave, found, missing)
        (done + size, size, wave + 1)
      }.takeWhile { case (done, _, wave) => wave == 0 || done < partitions }.toSeq
      if (partitions * missing <= 10000000) assert(sizes.size <= NextWave.Most + 1)
      assert(sizes.tail.forall { case (done, size, _) => size > 0 && done < partitions })
    }
  }
}
