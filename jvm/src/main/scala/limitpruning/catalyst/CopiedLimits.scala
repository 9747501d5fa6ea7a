package limitpruning.catalyst

import java.util.{Collections, IdentityHashMap}

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference, Expression, GetArrayStructFields, GetStructField, In, InSet, Literal, PlanExpression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate, Filter, GlobalLimit, Join, LocalLimit, LogicalPlan, Offset, Project, Sort, Union
}
import org.apache.spark.sql.catalyst.trees.TreePattern.LIMIT

import limitpruning.parquet.ColumnNames
import limitpruning.select.Reason
import limitpruning.tables.Tables

/**
 * LIMITs of one plan that may be copies of one LIMIT of the query: with the same table, predicate, order and groups. Spark
 * copies a plan for each reference to a view, to a deterministic common table expression, or to a DataFrame, and for correlated
 * subqueries. The copies may read different columns, and have smaller limits, so other rows would be chosen for each. The user
 * expects that they have the same rows, and they have in Spark alone if it runs them in the same way. So they are not pruned.
 *
 * Some copies are made of a LIMIT about which is decided. They may stay as they are if they are equal, with what was chosen.
 */
private[catalyst] object CopiedLimits extends PredicateHelper {

  /**
   * The LIMITs of the plan and of its subqueries that are copies.
   *
   * @param isOpen whether a LIMIT of the plan, and not of a subquery, is still to be decided
   */
  private def in(plan: LogicalPlan)(isOpen: LocalLimit => Boolean): Seq[LocalLimit] = {
    val limits =
      if (plan.containsPattern(LIMIT)) plan.collectWithSubqueries { case limit: LocalLimit => limit } else Nil
    if (limits.lengthCompare(2) < 0) Nil
    else {
      val overTables = for {
        limit <- limits
        leaf <- leafBelow(limit.child)
        source <- Tables.sourceOf(leaf)
      } yield (limit, source)
      val sameTable = overTables.groupBy(_._2).values.map(_.map(_._1)).filter(_.lengthCompare(1) > 0)
      if (sameTable.isEmpty) Nil
      else {
        val inPlan = setOf(plan.collect { case limit: LocalLimit if isOpen(limit) => limit })
        val pushed = pushedLimits(plan)
        sameTable.flatMap(_.groupBy(shape).values).filter { copies =>
          copies.lengthCompare(1) > 0 && !arePushedFromOne(copies, pushed) &&
          (copies.exists(inPlan.contains) || copies.map(_.canonicalized).distinct.lengthCompare(1) > 0)
        }.flatten.toSeq
      }
    }
  }

  /** The plan, with the copies as without the extension, and the copies in it; see [[LeftAlone.restored]]. */
  def restoredIn(plan: LogicalPlan)(isOpen: LocalLimit => Boolean): (LogicalPlan, Seq[LocalLimit]) =
    in(plan)(isOpen) match {
      case Nil => (plan, Nil)
      case found =>
        val copies = setOf(found)
        val restored = plan.transformDownWithSubqueries {
          case limit: LocalLimit if copies.contains(limit) =>
            LeftAlone.restored(limit, Reason.RepeatedLimit)
        }
        (restored, in(restored)(isOpen))
    }

  /** The table below a LIMIT, or another node that is not above one table; `None` if there is another LIMIT between them. */
  def leafBelow(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case _: LocalLimit => None
    case AboveTable(next) => leafBelow(next)
    case leaf => Some(leaf)
  }

  private def setOf(limits: Seq[LocalLimit]): java.util.Set[LogicalPlan] = {
    val set = Collections.newSetFromMap(new IdentityHashMap[LogicalPlan, java.lang.Boolean])
    limits.foreach(set.add)
    set
  }

  /**
   * The LIMITs that Spark has pushed down from another LIMIT, into the branches of a UNION ALL, with that one. Of each LIMIT of a
   * query, there is a global one, with an OFFSET or without.
   */
  private def pushedLimits(plan: LogicalPlan): IdentityHashMap[LocalLimit, LogicalPlan] = {
    val pushed = new IdentityHashMap[LocalLimit, LogicalPlan]
    def add(node: LogicalPlan, above: Option[LogicalPlan]): Unit = node match {
      case GlobalLimit(_, local: LocalLimit) => add(local.child, Some(node))
      case GlobalLimit(_, Offset(_, local: LocalLimit)) => add(local.child, Some(node))
      case local: LocalLimit =>
        above.foreach(pushed.put(local, _))
        add(local.child, above.orElse(Some(local)))
      case _: Project | _: Union | _: Join => node.children.foreach(add(_, above))
      case other => other.children.foreach(add(_, None))
    }
    (plan +: plan.subqueriesAll).foreach(add(_, None))
    pushed
  }

  private def arePushedFromOne(
      copies: Seq[LocalLimit],
      pushed: IdentityHashMap[LocalLimit, LogicalPlan]
  ): Boolean = {
    val above = pushed.get(copies.head)
    above != null && copies.forall(pushed.get(_) eq above)
  }

  /** The predicate, the order and the groups of a LIMIT, over the columns of its table, with names instead of ids. */
  private def shape(limit: LocalLimit): Set[(String, String)] =
    shape(limit.child, Nil).map { case (use, e) => (use, text(e)) }.toSet

  private def shape(plan: LogicalPlan, above: Seq[(String, Expression)]): Seq[(String, Expression)] =
    plan match {
      case Project(projections, child) =>
        val overChild = MatchLimit.shortOverRelation(projections)
        shape(child, above.map { case (use, e) => (use, overChild(e).getOrElse(Unknown)) })
      case Filter(condition, child) =>
        shape(child, above ++ splitConjunctivePredicates(condition).map("filter" -> _))
      case sort: Sort =>
        val keys = sort.order.zipWithIndex.map { case (key, position) => (s"key $position", key) }
        shape(sort.child, above ++ keys)
      case aggregate: Aggregate =>
        shape(aggregate.child, above ++ aggregate.groupingExpressions.map("group" -> _))
      case AboveTable(next) => shape(next, above)
      case leaf => above ++ Tables.pushedFilter(leaf).map(filter => ("pushed filter", Literal(filter)))
    }

  /**
   * A subquery counts as any other: its copies have other ids, too. Names are written as in the query, and later rules of Spark
   * write some as in the table.
   */
  private def text(e: Expression): String =
    try
      e.transformDown {
        case subquery: PlanExpression[_] => Literal(null, subquery.dataType)
        // The text of a long list takes long.
        case InSet(value, list) => In(value, Seq(Literal(list.size), Literal(list.hashCode)))
        case column: AttributeReference => column.withQualifier(Nil).withName(key(column.name))
        case field: GetStructField =>
          field.copy(name = Some(key(field.childSchema(field.ordinal).name)))
        case fields: GetArrayStructFields =>
          fields.copy(field = fields.field.copy(name = key(fields.field.name)))
      }.sql
    catch {
      // An expression of another extension may have no text, or it is nested too deeply. Then more LIMITs count as copies.
      case NonFatal(_) | _: StackOverflowError => ""
    }

  private def key(name: String): String = ColumnNames.key(name, caseSensitive = false)

  private val Unknown = Literal("")
}
