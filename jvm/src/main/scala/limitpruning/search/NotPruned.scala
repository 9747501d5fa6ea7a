package limitpruning.search

import scala.collection.mutable

import org.apache.spark.sql.catalyst.trees.TreeNodeTag

import limitpruning.predicate.Obstacle
import limitpruning.select.{Reason, SearchCounts}

/**
 * A LIMIT over Parquet that is not pruned.
 *
 * @param scan the scan below the LIMIT; none if the plan does not have a supported form
 * @param counts the counts of the search, if footers were read
 * @param planningNanos duration of the search, in nanoseconds
 * @param inspected the inspected row groups
 */
final case class NotPruned(
    reason: Reason,
    scan: Option[LimitedScan[Table]] = None,
    counts: Option[SearchCounts] = None,
    planningNanos: Long = 0L,
    inspected: Option[InspectedRowGroups] = None
)

object NotPruned {

  /**
   * The tag of a LIMIT with the reason why it is not pruned. A reason depends only on the plan below the LIMIT, so
   * queries that share the node share the reason. The tag changes neither equality nor EXPLAIN.
   */
  val Tag: TreeNodeTag[NotPruned] = TreeNodeTag("limitpruning.decision")
}

/** Counts the obstacles of undecided row groups. One instance per search; not thread-safe. */
private[limitpruning] final class ObstacleCounts {
  import ObstacleCounts._

  private val counts = mutable.LinkedHashMap.empty[Obstacle, Count]
  // Neighbouring row groups mostly have the same obstacle.
  private var last = Option.empty[(Obstacle, Count)]

  def add(obstacle: Obstacle): Unit = {
    if (!last.exists(_._1 eq obstacle))
      last = counts.get(obstacle).orElse {
        if (counts.size < MostKinds) {
          val first = new Count
          counts.update(obstacle, first)
          Some(first)
        } else None
      }.map(obstacle -> _)
    last.foreach(_._2.of += 1)
  }

  /**
   * The most frequent obstacles, for example `no usable statistics for column s in 12 of 40 row groups`; empty if there
   * are none.
   *
   * @param total how many units of rows there are
   * @param units what a unit is, in the plural
   */
  def summary(total: Int, units: String = "row groups"): String =
    counts.toSeq
      .sortBy { case (_, count) => -count.of }
      .take(MostNamed)
      .map { case (obstacle, count) => s"${obstacle.sentence} in ${count.of} of $total $units" }
      .mkString("; ")
}

private object ObstacleCounts {

  private final class Count {
    var of = 0
  }

  /** Maximum number of counted kinds. A predicate usually has few conjuncts and columns, but it may have thousands. */
  private val MostKinds = 100

  /** Maximum number of kinds in a reason. */
  private val MostNamed = 3
}
