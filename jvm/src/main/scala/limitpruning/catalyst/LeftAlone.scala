package limitpruning.catalyst

import java.util.IdentityHashMap

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

import limitpruning.search.NotPruned
import limitpruning.select.Reason
import limitpruning.tables.{Iceberg, SelectedRelation, Tables, UndecidedRelation}

/**
 * The LIMITs of a plan that are not pruned because Spark evaluates them more than once, and each evaluation must return the
 * same rows: those of [[SharedDefinitions]], of [[RecursiveDefinitions]] and of [[CopiedLimits]].
 *
 * @param reasonOf the reason for a LIMIT; `None` for any other LIMIT
 */
private[catalyst] final class LeftAlone(reasonOf: LocalLimit => Option[Reason]) {

  /** Why a LIMIT is left alone; for all others, `decide`. */
  def orElse(limit: LocalLimit)(
      decide: => Option[Either[NotPruned, LogicalPlan]]
  ): Option[Either[NotPruned, LogicalPlan]] = reasonOf(limit) match {
    case None => decide
    case Some(_) if UnprunedTables.isBelow(limit.child) => decide // it has the reason
    case Some(reason) if LeftAlone.isOverTable(limit) => Some(Left(NotPruned(reason)))
    case Some(_) => None
  }
}

private[catalyst] object LeftAlone {

  /** The tag of a LIMIT, an aggregate or a window that is left alone whenever Spark optimizes a plan with it. */
  private val Always: TreeNodeTag[Reason] = TreeNodeTag("limitpruning.leftAlone")

  /** @param copied those of [[CopiedLimits]] */
  def of(plan: LogicalPlan, copied: Seq[LocalLimit]): LeftAlone = {
    val reasons = new IdentityHashMap[LocalLimit, Reason]
    copied.foreach(reasons.put(_, Reason.RepeatedLimit))
    SharedDefinitions.in(plan).foreach(reasons.put(_, Reason.SharedDefinition))
    new LeftAlone(limit => Option(reasons.get(limit)).orElse(limit.getTagValue(Always)))
  }

  /**
   * The plan as without the extension. Its LIMITs over tables, and those of its subqueries, get a tag with the reason. Spark
   * optimizes a subquery before the query around it, so the LIMITs of a subquery may have been pruned.
   *
   * @param always whether these LIMITs are left alone in other plans, too, and the aggregates
   */
  def restored(plan: LogicalPlan, reason: Reason, always: Boolean = false): LogicalPlan = {
    val restored = plan.transformDownWithSubqueries(Function.unlift(withoutChoice))
    restored.collectWithSubqueries { case limit: LocalLimit => limit }.foreach { limit =>
      if (isOverTable(limit) && !isHinted(limit)) limit.setTagValue(NotPruned.Tag, NotPruned(reason))
      if (always) mark(limit)
    }
    if (always) restored.collectWithSubqueries { case aggregate: Aggregate => aggregate }.foreach(mark)
    restored
  }

  /** Leaves a node alone whenever Spark optimizes a plan with it. */
  def mark(node: LogicalPlan): Unit = node.setTagValue(Always, Reason.RepeatedLimit)

  def isAlways(node: LogicalPlan): Boolean = node.getTagValue(Always).nonEmpty

  /** A relation as without the extension; none for any other node. */
  private def withoutChoice(node: LogicalPlan): Option[LogicalPlan] = node match {
    case SelectedRelation(_, _) => Some(SelectedRelation.restoreIn(node))
    case UndecidedRelation(_, _) => Some(UndecidedRelation.restoreIn(node))
    case _ => Iceberg.restored(node)
  }

  /** Whether the hint is the reason. Later rules of Spark may replace what is marked by it. */
  private def isHinted(limit: LocalLimit): Boolean = UnprunedTables.isBelow(limit.child) ||
    limit.getTagValue(NotPruned.Tag).exists(_.reason == Reason.Hint)

  private def isOverTable(limit: LocalLimit): Boolean =
    limit.collectLeaves().exists(Tables.sourceOf(_).nonEmpty)
}
