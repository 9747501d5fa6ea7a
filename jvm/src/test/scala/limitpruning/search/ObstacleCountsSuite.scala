package limitpruning.search

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Obstacle

class ObstacleCountsSuite extends AnyFunSuite {
  test("the most frequent obstacles are named, with how many row groups they concern") {
    val counts = new ObstacleCounts
    Seq("a", "b", "b", "c", "c", "c", "d").foreach(name => counts.add(Obstacle.NoStatistics(name)))
    assert(
      counts.summary(40) ==
        "no usable statistics for column c in 3 of 40 row groups; " +
        "no usable statistics for column b in 2 of 40 row groups; no usable statistics for column a in 1 of 40 row groups"
    )
  }

  test("nothing in the way, nothing to say") {
    assert(new ObstacleCounts().summary(40).isEmpty)
  }

  test("a predicate of thousands of conjuncts does not fill the memory with reasons") {
    val counts = new ObstacleCounts
    (1 to 100000).foreach(i => counts.add(Obstacle.NoStatistics(s"c$i")))
    counts.add(Obstacle.NoStatistics("c1"))
    assert(counts.summary(7).startsWith("no usable statistics for column c1 in 2 of 7 row groups"))
  }
}
