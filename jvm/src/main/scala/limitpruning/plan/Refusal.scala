package limitpruning.plan

import org.apache.spark.sql.catalyst.trees.TreeNodeTag

import limitpruning.select.SearchCounts

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
