package limitpruning.catalyst

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.trees.TreePattern.LIMIT

import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.search.{ChooseFiles, ManifestTable, NotPruned}
import limitpruning.select.Reason
import limitpruning.tables.Iceberg

/**
 * Replaces the scan of an Iceberg table below a LIMIT by a scan of chosen files. These are proved to contain enough rows.
 * All filters and the LIMIT stay in the plan. If nothing can be skipped, nothing changes, and the LIMIT gets a tag with the
 * reason.
 *
 * Spark makes the scans of data source V2 after its pre-CBO rules. Of the rules that a session can add, only those of
 * `experimentalMethods` come later. They also come after the rules that add runtime filters.
 */
final case class PruneV2Limits(session: SparkSession, override val state: PlanningState)
    extends Rule[LogicalPlan]
    with PrunesLimits {
  import PruneV2Limits._

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(LimitPruningConf.Enabled)) plan
    else plan.transformDownWithPruning(_.containsPattern(LIMIT)) {
      case limit: LocalLimit if !limit.getTagValue(Decided).exists(_ eq limit.child) =>
        pruneOrTag(limit)(decide(limit))
    }

  private def decide(limit: LocalLimit): Option[Either[NotPruned, LogicalPlan]] =
    MatchLimit.over[ManifestTable](limit)(Iceberg.table).map { found =>
      // Spark runs the rule until the plan does not change. A decision needs manifests, so it is made only once.
      limit.setTagValue(Decided, limit.child)
      val reasonOrTable =
        if (MatchTopRows.isOrdered(limit)) Left(Reason.IcebergOnlyLimit) else found
      reasonOrTable.flatMap(choose(limit, _)).left.map(NotPruned(_))
    }

  private def choose(
      limit: LocalLimit,
      found: MatchLimit.Limited[ManifestTable]
  ): Either[Reason, LogicalPlan] = {
    val files = conf.getConf(LimitPruningConf.MaxFiles)
    val millis = conf.getConf(LimitPruningConf.MaxTime)
    def stop(unproved: Int, nanos: Long, rows: Long): Option[Reason] =
      if (unproved > files)
        Some(Reason.OutOfBudget(LimitPruningConf.MaxFiles.key, s"$files files", rows, found.limit))
      else if (nanos > TimeUnit.MILLISECONDS.toNanos(millis))
        Some(Reason.OutOfBudget(LimitPruningConf.MaxTime.key, s"$millis milliseconds", rows, found.limit))
      else None
    new ChooseFiles(found.limit, found.conjuncts, found.table, stop)().map(found.table.read(limit, _))
  }
}

object PruneV2Limits {

  /** The tag of a LIMIT that is not pruned, with the child for which this was decided. */
  private val Decided: TreeNodeTag[LogicalPlan] = TreeNodeTag("limitpruning.decidedOver")

  /**
   * Ensures that the session has this rule, once. This must be called for each query that is optimized: a program may
   * replace the rules of a session, and a cloned session has those of the original session.
   */
  def keepIn(session: SparkSession, state: PlanningState): Unit = synchronized {
    val methods = SparkSessions.onServer(session).sessionState.experimentalMethods
    val rule = PruneV2Limits(session, state)
    val (ours, others) = methods.extraOptimizations.partition(_.isInstanceOf[PruneV2Limits])
    if (ours != Seq(rule)) methods.extraOptimizations = others :+ rule
  }
}
