package limitpruning.catalyst

import scala.collection.mutable
import scala.concurrent.duration.{Deadline, DurationLong}

import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Subquery}
import org.apache.spark.sql.catalyst.trees.TreePattern.{AGGREGATE, CTE, PLAN_EXPRESSION}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.tables.UndecidedRelation

/**
 * Prunes each MIN or MAX without GROUP BY of a query and of its subqueries. One that is not pruned gets no tag: the query may
 * have no LIMIT whose reason a user looks for.
 *
 * @param deadline none is searched for after it: a query may have hundreds, each of another column or table
 * @param isOne whether the query has no other aggregate, so that Spark has not copied this one
 * @param ifWaited whether an aggregate is pruned although a LIMIT may wait for its value
 * @param decide the aggregate over chosen rows; `None` if it is not pruned
 */
private[catalyst] final class PruneMinMax private (
    deadline: Deadline,
    isOne: Boolean,
    ifWaited: Aggregate => Boolean,
    decide: Aggregate => Option[LogicalPlan]
) {

  /** The results so far. Spark may have copied a subquery. */
  private val decided = mutable.Map.empty[LogicalPlan, LogicalPlan]

  /** @param mayWait whether a LIMIT may wait for the plan */
  private def apply(plan: LogicalPlan, mayWait: Boolean = false): LogicalPlan = {
    def pruned(aggregate: Aggregate) = if (deadline.isOverdue()) None else decide(aggregate)
    lazy val hasWaiting = mayWait || plan.exists {
      case UndecidedRelation(_, index) =>
        index.wanted.conjuncts.exists(_.containsPattern(PLAN_EXPRESSION))
      case _ => false
    }
    plan.transformDownWithPruning(_.containsPattern(AGGREGATE)) {
      case aggregate: Aggregate
          if !LeftAlone.isAlways(aggregate) && (!mayWait || ifWaited(aggregate)) &&
            (isOne || !MatchMinMax.isOfTies(aggregate)) =>
        decided.getOrElseUpdate(aggregate, pruned(aggregate).getOrElse(aggregate))
    }.transformAllExpressionsWithPruning(_.containsPattern(PLAN_EXPRESSION)) {
      case subquery: SubqueryExpression => subquery.withNewPlan(apply(subquery.plan, hasWaiting))
    }
  }
}

private[catalyst] object PruneMinMax {

  /**
   * Whether there may be something to prune. Not beside a common table expression that Spark evaluates once: in a later rule,
   * Spark copies its definition, and relies on equal copies. The plan of a subquery is left for the query around it, which may
   * have a LIMIT that waits for its value: Spark optimizes the subquery before.
   *
   * @param isOver whether an aggregate is over a table of the caller
   */
  def isIn(plan: LogicalPlan, conf: SQLConf, isOver: Aggregate => Boolean = _ => true): Boolean =
    conf.getConf(LimitPruningConf.MinMax) && isOutermost(plan) && contains(plan, isOver) &&
      !containsDefinition(plan)

  /** The plan with each MIN or MAX over what `decide` chooses. */
  def in(plan: LogicalPlan, conf: SQLConf, ifWaited: Aggregate => Boolean)(
      decide: Aggregate => Option[LogicalPlan]
  ): LogicalPlan = {
    val deadline = conf.getConf(LimitPruningConf.MaxTime).millis.fromNow
    new PruneMinMax(deadline, hasOneAggregate(plan), ifWaited, decide)(plan)
  }

  private def isOutermost(plan: LogicalPlan): Boolean = plan match {
    case _: Subquery => false
    case _ => true
  }

  private def contains(plan: LogicalPlan, isOver: Aggregate => Boolean): Boolean =
    plan.containsAnyPattern(AGGREGATE, PLAN_EXPRESSION) && plan.exists {
      case aggregate: Aggregate if MatchMinMax.limitOf(aggregate).nonEmpty && isOver(aggregate) => true
      case node => node.subqueries.exists(contains(_, isOver))
    }

  private def containsDefinition(plan: LogicalPlan)
      : Boolean = (plan +: plan.subqueriesAll).exists(_.containsPattern(CTE))

  private def hasOneAggregate(plan: LogicalPlan): Boolean = (plan +: plan.subqueriesAll).map(_.collect {
    case one: Aggregate => one
  }.size).sum == 1
}
