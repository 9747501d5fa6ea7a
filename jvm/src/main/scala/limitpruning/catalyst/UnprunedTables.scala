package limitpruning.catalyst

import org.apache.spark.sql.catalyst.analysis.{UnresolvedRelation, UnresolvedTableValuedFunction}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{
  CTERelationDef, CTERelationRef, Filter, LogicalPlan, Project, SubqueryAlias, UnaryNode, WithCTE
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}

import limitpruning.select.Reason
import limitpruning.shims.Strategy

/**
 * Tables over which no LIMIT is pruned: those inside a SELECT with the [[NoPruningHint]], and those of [[MarkInserts]].
 *
 *  - [[marked]] puts the node [[UnprunedTable]] above each table, before Spark resolves the tables. So an analyzed plan contains
 *    the mark as a node, which no copy of the plan, view or join of a DataFrame with itself can lose.
 *  - [[MarkTables]] replaces these nodes by a tag of each table, before Spark looks for cached data and optimizes the plan. A
 *    tag is no part of a comparison of plans, so cached data is used as without the mark. Spark's rules up to [[PruneLimits]]
 *    leave tables as they are.
 *  - Later rules of Spark replace tables, and the operators directly above them. Operators keep their tags then, and tables do
 *    not. So [[markOperators]] tags these operators, for [[PruneLateLimits]].
 */
object UnprunedTables {

  /** Why no LIMIT over a table is pruned: the hint, or that it is read by one of several INSERTs of a statement. */
  private val Marked: TreeNodeTag[Reason] = TreeNodeTag("limitpruning.unpruned")

  /** Whether a table is marked. */
  def isAbove(table: LogicalPlan): Boolean = reasonAbove(table).nonEmpty

  /** The reason if a table is marked. */
  def reasonAbove(table: LogicalPlan): Option[Reason] = table.getTagValue(Marked).orElse(table match {
    case scan: DataSourceV2ScanRelation => scan.relation.getTagValue(Marked)
    case _ => None
  })

  /** Tags the projections and filters directly above the tables that are marked. */
  def markOperators(plan: LogicalPlan): Unit = plan.foreachUp {
    case operator @ (_: Project | _: Filter) =>
      operator.children.flatMap(reasonAbove).headOption.foreach(operator.setTagValue(Marked, _))
    case _ =>
  }

  /** Whether an operator below, on the way to a single table, or this table is marked. */
  def isBelow(plan: LogicalPlan): Boolean = reasonBelow(plan).nonEmpty

  /** The reason if an operator below, on the way to a single table, or this table is marked. */
  @scala.annotation.tailrec
  def reasonBelow(plan: LogicalPlan): Option[Reason] = (reasonAbove(plan), plan) match {
    case (None, AboveTable(next)) => reasonBelow(next)
    case (reason, _) => reason
  }

  /** The mark of a table. Changes nothing else. */
  final case class UnprunedTable(child: LogicalPlan, reason: Reason = Reason.Hint) extends UnaryNode {
    override def output: Seq[Attribute] = child.output
    override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
  }

  /** Replaces each [[UnprunedTable]] by tags of the tables below it. */
  object MarkTables extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan =
      if (!contains(plan)) plan
      else {
        // A view contains several tables. Below each node there is one table then.
        val inner = inDefinitions(plan).transformUpWithSubqueries { case UnprunedTable(child, reason) =>
          wrapped(child, reason)
        }
        inner.transformUpWithSubqueries { case UnprunedTable(child, reason) => withoutMarks(child, reason) }
      }

    private def contains(plan: LogicalPlan): Boolean =
      plan.collectWithSubqueries { case table: UnprunedTable => table }.nonEmpty

    /** Puts the mark of a reference to a common table expression into the expression, too. */
    @scala.annotation.tailrec
    private def inDefinitions(plan: LogicalPlan): LogicalPlan = {
      val reasons = plan.collectWithSubqueries { case UnprunedTable(child, reason) =>
        child.collectWithSubqueries { case reference: CTERelationRef => reference.cteId -> reason }
      }.flatten.toMap
      def isNew(id: Long, definition: LogicalPlan) =
        reasons.contains(id) && !definition.isInstanceOf[UnprunedTable]
      val found = plan.collectWithSubqueries { case WithCTE(_, definitions) => definitions }.flatten
      if (!found.exists(definition => isNew(definition.id, definition.child))) plan
      else inDefinitions(plan.transformUpWithSubqueries { case WithCTE(child, definitions) =>
        WithCTE(
          child,
          definitions.map { definition =>
            if (isNew(definition.id, definition.child)) within(definition, reasons(definition.id))
            else definition
          }
        )
      })
    }

    private def within(definition: CTERelationDef, reason: Reason): CTERelationDef =
      definition.withNewChildren(Seq(UnprunedTable(definition.child, reason))) match {
        case found: CTERelationDef => found
        case _ => definition
      }

    /** A copy of a table with the tag. Other plans may contain the table itself. */
    private def withoutMarks(child: LogicalPlan, reason: Reason): LogicalPlan = child match {
      case _: LogicalRelation | _: DataSourceV2Relation =>
        val copy = child.makeCopy(child.productIterator.map(_.asInstanceOf[AnyRef]).toArray)
        copy.setTagValue(Marked, reason)
        copy
      case other => other
    }
  }

  /** Plans a marked table like the table, for programs that optimize a plan without [[MarkTables]]. */
  object PlanUnpruned extends Strategy {
    override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
      case UnprunedTable(child, _) => Seq(planLater(child))
      case _ => Nil
    }
  }

  /** Puts a mark directly above each table and each node that may become one. */
  private def wrapped(plan: LogicalPlan, reason: Reason): LogicalPlan =
    plan.transformUpWithSubqueries {
      case table @ (_: LogicalRelation | _: DataSourceV2Relation | _: CTERelationRef) =>
        UnprunedTable(table, reason)
      case stream: UnresolvedRelation if stream.isStreaming => stream
      case function: UnresolvedTableValuedFunction => function
      case unresolved if unresolved.children.isEmpty && !unresolved.resolved =>
        UnprunedTable(unresolved, reason)
    }

  /** Puts a mark above each table and each node that may become one, and above its names: below a name, it would hide `_metadata`. */
  private[catalyst] def marked(plan: LogicalPlan, reason: Reason): LogicalPlan =
    wrapped(plan, reason).transformUpWithSubqueries { case alias: SubqueryAlias =>
      alias.child match {
        case UnprunedTable(child, found) => UnprunedTable(alias.withNewChildren(Seq(child)), found)
        case _ => alias
      }
    }
}
