package limitpruning.catalyst

import org.apache.spark.sql.catalyst.plans.logical.{
  AnalysisHelper, InsertIntoDir, InsertIntoStatement, LogicalPlan, Union
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.trees.TreePattern.UNION

import limitpruning.select.Reason

/**
 * Marks the tables of a statement with several INSERTs, `FROM … INSERT … INSERT …`, as [[UnprunedTables]]. Spark copies its FROM,
 * and plans each INSERT into some tables, such as those of Delta, and into directories, as a query of its own, in which a LIMIT
 * would be decided alone.
 */
object MarkInserts extends Rule[LogicalPlan] {
  private val Done: TreeNodeTag[Boolean] = TreeNodeTag("limitpruning.inserts")

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(UNION)) {
      case inserts: Union if inserts.children.forall(isInsert) && inserts.getTagValue(Done).isEmpty =>
        val done = AnalysisHelper.allowInvokingTransformsInAnalyzer(
          inserts.mapChildren(_.mapChildren(UnprunedTables.marked(_, Reason.RepeatedLimit)))
        )
        done.setTagValue(Done, true)
        done
    }

  private def isInsert(plan: LogicalPlan): Boolean = plan match {
    case _: InsertIntoStatement | _: InsertIntoDir => true
    case _ => false
  }
}
