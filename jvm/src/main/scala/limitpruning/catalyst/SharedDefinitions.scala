package limitpruning.catalyst

import java.util.{Collections, IdentityHashMap}

import org.apache.spark.sql.catalyst.plans.logical.{CTERelationDef, LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.trees.TreePattern.CTE

import limitpruning.search.NotPruned
import limitpruning.select.Reason
import limitpruning.tables.{Iceberg, SelectedRelation, Tables, UndecidedRelation}

/**
 * The common table expressions that Spark does not put into the query, because they are not deterministic and used more than
 * once. In one of its last rules, Spark copies such a definition to each reference, with other columns, also in subqueries, and
 * relies on equal plans to run one of the copies. A scan of chosen rows is for the columns of one copy, and the others would read
 * other rows. So LIMITs in them are not pruned.
 *
 *  - [[restoredIn]] marks these definitions. When [[PruneLimits]] runs, Spark has put all others into the query. Later, Spark
 *    makes definitions of its own, for subqueries that it merges.
 *  - Spark optimizes a subquery before the query around it. LIMITs in subqueries of a definition are pruned by then, and
 *    [[restoredIn]] undoes this.
 */
private[catalyst] object SharedDefinitions {

  private val Marked: TreeNodeTag[Boolean] = TreeNodeTag("limitpruning.shared")

  /** The plan, with such definitions as without the extension. Their LIMITs get a tag with the reason. */
  def restoredIn(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(CTE)) plan
    else plan.transformDownWithPruning(_.containsPattern(CTE)) { case definition: CTERelationDef =>
      val restored = definition.transformDownWithSubqueries(Function.unlift(withoutChoice))
      restored.setTagValue(Marked, true)
      restored.collectWithSubqueries { case limit: LocalLimit if isOverTable(limit) => limit }
        .foreach(_.setTagValue(NotPruned.Tag, notPruned))
      restored
    }

  /** A relation as without the extension; none for any other node. What Iceberg has chosen while planning is the same in each copy. */
  private def withoutChoice(node: LogicalPlan): Option[LogicalPlan] = node match {
    case SelectedRelation(_, _) => Some(SelectedRelation.restoreIn(node))
    case UndecidedRelation(_, _) => Some(UndecidedRelation.restoreIn(node))
    case _ => Iceberg.restored(node)
  }

  /** The LIMITs of a plan that are in marked definitions, and not in their subqueries. */
  def in(plan: LogicalPlan): Limits = {
    val limits = Collections.newSetFromMap(new IdentityHashMap[LocalLimit, java.lang.Boolean])
    if (plan.containsPattern(CTE)) plan.foreach {
      case definition: CTERelationDef if definition.getTagValue(Marked).nonEmpty =>
        definition.foreach {
          case limit: LocalLimit => limits.add(limit): Unit
          case _ =>
        }
      case _ =>
    }
    new Limits(limits)
  }

  private def isOverTable(limit: LocalLimit): Boolean =
    limit.collectLeaves().exists(Tables.of(_).nonEmpty)

  private def notPruned = NotPruned(Reason.SharedDefinition)

  final class Limits private[SharedDefinitions] (limits: java.util.Set[LocalLimit]) {

    /** Why a LIMIT of these is not pruned; for all others, `decide`. */
    def orElse(limit: LocalLimit)(
        decide: => Option[Either[NotPruned, LogicalPlan]]
    ): Option[Either[NotPruned, LogicalPlan]] =
      if (!limits.contains(limit)) decide
      else if (isOverTable(limit)) Some(Left(notPruned))
      else None
  }
}
