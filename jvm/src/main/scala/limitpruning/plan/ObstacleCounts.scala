package limitpruning.plan

import scala.collection.mutable

import limitpruning.predicate.Obstacle

/** Counts what stood in the way of row groups that stayed undecided. Not thread-safe: one search, one instance. */
private[plan] final class ObstacleCounts {
  import ObstacleCounts._

  private val counts = mutable.LinkedHashMap.empty[Obstacle, Int]

  def add(obstacle: Obstacle): Unit =
    if (counts.contains(obstacle) || counts.size < MostKinds)
      counts.update(obstacle, counts.getOrElse(obstacle, 0) + 1)

  /** The most frequent ones, as in `no usable statistics for column s in 12 of 40 row groups`; empty for none. */
  def summary(rowGroups: Int): String =
    counts.toSeq
      .sortBy { case (_, count) => -count }
      .take(MostNamed)
      .map { case (obstacle, count) => s"${obstacle.sentence} in $count of $rowGroups row groups" }
      .mkString("; ")
}

private object ObstacleCounts {

  /** Kinds that are counted at most: a predicate has few conjuncts and columns, but it may have thousands. */
  private val MostKinds = 100

  /** Kinds that are named in a reason at most. */
  private val MostNamed = 3
}
