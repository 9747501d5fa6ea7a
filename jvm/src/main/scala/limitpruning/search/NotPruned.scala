package limitpruning.search

import scala.collection.mutable

import org.apache.spark.sql.catalyst.trees.TreeNodeTag

import limitpruning.predicate.Obstacle
import limitpruning.select.{Reason, SearchCounts}

/**
 * A LIMIT over Parquet that is not pruned.
 *
 * @param scan what the LIMIT stands over, where it was of a form to be looked at
 * @param counts what was seen, where footers were read
 * @param planningNanos how long looking took, in nanoseconds
 * @param seen the row groups that were looked at
 */
final case class NotPruned(
    reason: Reason,
    scan: Option[LimitedScan] = None,
    counts: Option[SearchCounts] = None,
    planningNanos: Long = 0L,
    seen: Option[InspectedRowGroups] = None
)

object NotPruned {

  /**
   * Where the rule leaves its refusals. The node is the LIMIT's own and refusals depend on what is below it alone,
   * so queries that share the node share the reason; the tag changes neither equality nor EXPLAIN.
   */
  val Tag: TreeNodeTag[NotPruned] = TreeNodeTag("limitpruning.refusal")
}

/** Counts what stood in the way of row groups that stayed undecided. Not thread-safe: one search, one instance. */
private[limitpruning] final class ObstacleCounts {
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
