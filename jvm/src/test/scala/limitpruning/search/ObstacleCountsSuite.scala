package limitpruning.search

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Obstacle

class ObstacleCountsSuite extends AnyFunSuite {
  test("names the most frequent obstacles, with the number of row groups") {
    val counts = new ObstacleCounts
    Seq("a", "b", "b", "c", "c", "c", "d").foreach(name => counts.add(Obstacle.NoStatistics(name)))
    assert(
      counts.summary(40) ==
        "no usable statistics for column c in 3 of 40 row groups; " +
        "no usable statistics for column b in 2 of 40 row groups; no usable statistics for column a in 1 of 40 row groups"
    )
  }

  test("the summary is empty without obstacles") {
    assert(new ObstacleCounts().summary(40).isEmpty)
  }

  test("limits the number of obstacles of a predicate with thousands of conjuncts") {
    val counts = new ObstacleCounts
    (1 to 100000).foreach(i => counts.add(Obstacle.NoStatistics(s"c$i")))
    counts.add(Obstacle.NoStatistics("c1"))
    assert(counts.summary(7).startsWith("no usable statistics for column c1 in 2 of 7 row groups"))
  }
}
