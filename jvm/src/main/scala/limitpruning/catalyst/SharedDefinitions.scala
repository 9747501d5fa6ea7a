package limitpruning.catalyst

import java.util.IdentityHashMap

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationDef, LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.CTE

import limitpruning.predicate.BriefSql
import limitpruning.select.Reason
import limitpruning.tables.Tables

/**
 * The LIMITs in common table expressions that Spark evaluates once for all their references, because they are not
 * deterministic. In one of its last rules, Spark copies such a definition to each reference, with other columns, and relies
 * on equal plans to run one of them. A scan of chosen rows is for the columns of one of the copies, and the others would
 * read other rows. So these LIMITs are not pruned.
 */
private[catalyst] object SharedDefinitions {

  /** @return for a LIMIT of the plan, the reason why it is not pruned; none if it is in no such definition */
  def reasonsIn(plan: LogicalPlan): LocalLimit => Option[Reason] = {
    val reasons = new IdentityHashMap[LocalLimit, Reason]
    if (plan.containsPattern(CTE)) plan.foreach {
      case definition: CTERelationDef if !definition.deterministic =>
        definition.foreach {
          case limit: LocalLimit if limit.collectLeaves().exists(Tables.of(_).nonEmpty) =>
            reasons.put(limit, reasonOf(definition)): Unit
          case _ =>
        }
      case _ =>
    }
    limit => Option(reasons.get(limit))
  }

  private def reasonOf(definition: CTERelationDef): Reason = {
    val found = definition.collect { case node => node.expressions.find(!_.deterministic) }.flatten
    Reason.NotDeterministic(found.headOption.fold(definition.nodeName)(BriefSql(_: Expression)))
  }
}
