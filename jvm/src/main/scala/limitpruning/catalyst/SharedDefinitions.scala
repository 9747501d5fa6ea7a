package limitpruning.catalyst

import org.apache.spark.sql.catalyst.plans.logical.{CTERelationDef, LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.trees.TreePattern.CTE

import limitpruning.select.Reason

/**
 * The common table expressions that Spark does not put into the query, because they are not deterministic and used more than
 * once. In one of its last rules, Spark copies such a definition to each reference, with other columns, also in subqueries, and
 * relies on equal plans to run one of the copies. A scan of chosen rows is for the columns of one copy, and the others would read
 * other rows. So LIMITs in them are not pruned.
 *
 *  - [[restoredIn]] marks these definitions. When [[PruneLimits]] runs, Spark has put all others into the query. Later, Spark
 *    makes definitions of its own, for subqueries that it merges.
 *  - LIMITs in subqueries of a definition are pruned by then, and [[restoredIn]] undoes this.
 */
private[catalyst] object SharedDefinitions {

  private val Marked: TreeNodeTag[Boolean] = TreeNodeTag("limitpruning.shared")

  /** The plan, with such definitions as without the extension; see [[LeftAlone.restored]]. */
  def restoredIn(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(CTE)) plan
    else plan.transformDownWithPruning(_.containsPattern(CTE)) { case definition: CTERelationDef =>
      val restored = LeftAlone.restored(definition, Reason.SharedDefinition)
      restored.setTagValue(Marked, true)
      restored
    }

  /** The LIMITs of a plan that are in marked definitions, and not in their subqueries. */
  def in(plan: LogicalPlan): Seq[LocalLimit] =
    if (!plan.containsPattern(CTE)) Nil
    else plan.collect {
      case definition: CTERelationDef if definition.getTagValue(Marked).nonEmpty =>
        definition.collect { case limit: LocalLimit => limit }
    }.flatten
}
