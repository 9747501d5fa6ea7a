package limitpruning.catalyst

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WindowGroupLimit}
import org.apache.spark.sql.catalyst.trees.TreePattern.{AGGREGATE, LIMIT}

import limitpruning.select.Reason

/**
 * Recursive common table expressions, since Spark 4.1. Spark plans each iteration as a query of its own, so a LIMIT in one is
 * decided again for each iteration, and could have other rows; so could a `max_by`, or the first rows of groups. They are not
 * pruned.
 */
private[catalyst] object RecursiveDefinitions {

  /** The plan, with such definitions as without the extension. */
  def restoredIn(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsAnyPattern(LIMIT, AGGREGATE) || !areIn(plan)) plan
    else plan.transformDown {
      case loop if isRecursive(loop) => LeftAlone.restored(loop, Reason.RepeatedLimit, always = true)
    }

  def areIn(plan: LogicalPlan): Boolean = plan.exists(isRecursive)

  /** Marks windows in such definitions, for the plans of their iterations. */
  def markWindows(plan: LogicalPlan): Unit = plan.foreach {
    case loop if isRecursive(loop) =>
      loop.collectWithSubqueries { case window: WindowGroupLimit => window }.foreach(LeftAlone.mark)
    case _ =>
  }

  // The class is not in older versions of Spark.
  private def isRecursive(plan: LogicalPlan): Boolean = plan.nodeName == "UnionLoop"
}
