package limitpruning.search

import scala.collection.mutable

import org.apache.spark.sql.catalyst.trees.TreeNodeTag

import limitpruning.predicate.Obstacle
import limitpruning.select.SearchCounts

/**
 * Why a LIMIT over Parquet was left to Spark.
 *
 * @param code short and stable, for programs
 * @param message one sentence for people
 */
sealed abstract class Declined(val code: String, val message: String)

object Declined {

  case object LimitNotConstant extends Declined("limit-not-constant", "the LIMIT is not a constant")

  final case class OperatorBetween(operator: String)
      extends Declined("operator-between", s"$operator stands between the LIMIT and the scan")

  final case class NotDeterministic(expression: String)
      extends Declined("not-deterministic", s"$expression is not deterministic")

  final case class TooDeeplyNested(deepest: Int)
      extends Declined("too-deeply-nested", s"an expression is nested more than $deepest deep")

  case object Subquery
      extends Declined(
        "subquery",
        "the predicate or the first sort key contains a subquery, whose value is not known while planning"
      )

  final case class FilterAbove(filter: String)
      extends Declined(
        "filter-above",
        s"the filter $filter is evaluated after other filters, apart from the scan"
      )

  final case class NotSparksParquet(format: String)
      extends Declined("other-format", s"the table is read by $format, which may hide rows of its files")

  final case class NotSparksIndex(index: String)
      extends Declined(
        "other-file-index",
        s"the table's files are listed by $index, which is not Spark's own"
      )

  case object DataSourceV2
      extends Declined(
        "data-source-v2",
        "the table is read through data source V2; set spark.sql.sources.useV1SourceList to contain parquet"
      )

  case object Streaming extends Declined("streaming", "the scan is a streaming source")

  final case class ToleratesBadFiles(setting: String)
      extends Declined(
        "tolerates-bad-files",
        s"$setting is on, so files that were counted on might give no rows"
      )

  final case class SplitDependent(column: String)
      extends Declined(
        "split-dependent",
        s"_metadata.$column tells how a file was split, which pruning changes"
      )

  /** @param field with its class */
  final case class UnknownField(field: String)
      extends Declined("unknown-field", s"this Spark's $field is not known to this version of the extension")

  case object NoFiles extends Declined("no-files", "no file is left after partition pruning")

  final case class UnreadableFooter(problem: String) extends Declined("unreadable-footer", problem)

  final case class UnaddressableRowGroups(path: String)
      extends Declined("unaddressable-row-groups", s"row groups of $path cannot be told apart by byte ranges")

  final case class UnreadablePages(path: String)
      extends Declined(
        "unreadable-pages",
        s"the page index of $path contradicts itself or its footer, so rows of single pages cannot be read"
      )

  /** @param obstacles what stood in the way, and in how many row groups */
  final case class NotClustered(filesLookedAt: Int, obstacles: String)
      extends Declined(
        "not-clustered",
        s"the first $filesLookedAt footers prove nothing, so the rest was not looked at: $obstacles"
      )

  /** @param obstacles what stood in the way, and in how many row groups; empty where nothing did */
  final case class NotEnoughRows(found: Long, limit: Int, obstacles: String)
      extends Declined(
        "not-enough-rows",
        s"fully matching row groups and pages hold $found rows, the LIMIT needs $limit" +
          (if (obstacles.isEmpty) "" else s": $obstacles")
      )

  final case class KeyNotOrdered(key: String, dataType: String)
      extends Declined(
        "key-not-ordered",
        s"nothing is proved about the order of $key, which is of type $dataType"
      )

  /** @param obstacles what stood in the way, and in how many row groups; empty where nothing did */
  final case class KeyNotClustered(filesLookedAt: Int, key: String, obstacles: String)
      extends Declined(
        "key-not-clustered",
        s"the footers of $filesLookedAt files show no row group that ORDER BY $key could leave out" +
          (if (obstacles.isEmpty) "" else s": $obstacles")
      )

  final case class OutOfBudget(setting: String, value: String, found: Long, limit: Int)
      extends Declined(
        "out-of-budget",
        s"$setting = $value was used up when fully matching row groups and pages held $found of $limit rows"
      )

  case object FiltersChanged
      extends Declined("filters-changed", "the scan's filters were changed after they had been proved")

  final case class PlanningFailed(error: String)
      extends Declined("planning-failed", s"planning failed unexpectedly: $error (see the driver's log)")

  case object NotLookedAt
      extends Declined("not-looked-at", "spark.limitPruning.enabled was false when the query was planned")
}

/**
 * A LIMIT over Parquet that was left to Spark.
 *
 * @param scan what the LIMIT stands over, where it was of a form to be looked at
 * @param counts what was seen, where footers were read
 * @param planningNanos how long looking took, in nanoseconds
 * @param seen the row groups that were looked at
 */
final case class Refusal(
    reason: Declined,
    scan: Option[LimitedScan] = None,
    counts: Option[SearchCounts] = None,
    planningNanos: Long = 0L,
    seen: Option[SeenRowGroups] = None
)

object Refusal {

  /**
   * Where the rule leaves its refusals. The node is the LIMIT's own and refusals depend on what is below it alone,
   * so queries that share the node share the reason; the tag changes neither equality nor EXPLAIN.
   */
  val Tag: TreeNodeTag[Refusal] = TreeNodeTag("limitpruning.refusal")
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
