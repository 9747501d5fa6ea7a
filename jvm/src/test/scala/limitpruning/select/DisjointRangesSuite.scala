package limitpruning.select

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class DisjointRangesSuite extends AnyFunSuite {
  private type Ends = (Int, Int)

  private def disjoint(ranges: Ends*): Seq[Ends] = DisjointRanges.of(ranges)(identity)

  /** The most ranges of which no two overlap, by trying all sets. */
  private def most(ranges: Seq[Ends]): Int =
    ranges.indices.toSet.subsets().filter { set =>
      set.forall(i => set.forall(j => i == j || ranges(i)._2 < ranges(j)._1 || ranges(j)._2 < ranges(i)._1))
    }.map(_.size).max

  test("finds the ranges of which no two overlap") {
    assert(disjoint((1, 5), (2, 3), (3, 4), (4, 4), (6, 9)) == Seq((2, 3), (4, 4), (6, 9)))
    assert(disjoint() == Nil)
  }

  test("line 60: ranges that share one end overlap, and equal values count once") {
    assert(disjoint((1, 2), (2, 3)) == Seq((1, 2)))
    assert(disjoint((7, 7), (7, 7), (7, 7)) == Seq((7, 7)))
  }

  test("one wide range does not hide the others") {
    assert(disjoint((0, 100), (1, 1), (2, 2), (3, 3)).size == 3)
  }

  test("of equal ranges, it is the first") {
    val found = DisjointRanges.of(Seq("a" -> 1, "b" -> 1))(one => (one._2, one._2))
    assert(found == Seq("a" -> 1))
  }

  test("no other set has more ranges") {
    val random = new Random(7)
    for (_ <- 1 to 200) {
      val ranges = Seq.fill(random.nextInt(9)) {
        val from = random.nextInt(12)
        (from, from + random.nextInt(5))
      }
      val found = disjoint(ranges: _*)
      assert(found.size == most(ranges), ranges)
      assert(most(found) == found.size)
    }
  }
}
