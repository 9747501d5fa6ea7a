package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{GlobalLimit, LocalLimit, LogicalPlan, Subquery}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{JOIN, LIMIT}

import limitpruning.search.NotPruned
import limitpruning.select.Reason
import limitpruning.tables.{DeltaLake, SelectedRelation, UndecidedRelation}

/** A rule that prunes LIMITs. After an unexpected error, the query does not change. */
private[catalyst] trait PrunesLimits { rule: Rule[LogicalPlan] =>

  /** The session that plans the query. */
  def session: SparkSession

  /** The caches and counters of the application. */
  def state: PlanningState

  /**
   * @param decide the pruned plan, or why the LIMIT is not pruned; `None` if there is nothing to decide
   * @return the pruned plan; if the LIMIT is not pruned, the same object with a tag
   */
  protected def pruneOrTag(limit: LocalLimit)(
      decide: => Option[Either[NotPruned, LogicalPlan]]
  ): LogicalPlan = {
    val decision = FailOpen(state, rule.conf)(decide)(reason => Some(Left(NotPruned(reason))))
    decision match {
      case Some(Right(pruned)) => pruned
      case Some(Left(notPruned)) =>
        limit.setTagValue(NotPruned.Tag, notPruned)
        limit
      case None => limit
    }
  }

  /**
   * Decides about each LIMIT of a plan, from the top.
   *
   * @param decide the plan instead of a LIMIT, given whether it is the root, and how many of its rows an OFFSET skips
   */
  protected def eachLimit(plan: LogicalPlan)(decide: (LocalLimit, Boolean, Int) => LogicalPlan)
      : LogicalPlan = {
    val root = plan match {
      case GlobalLimit(_, limit: LocalLimit) => Some(limit)
      case _ => None
    }
    // The scan of another engine may read rows that are not selected.
    val skipping = FailOpen(state, rule.conf)(
      SkipByOffset.in(plan).filter(_ => NativeEngines.reasonForUnknown(session).isEmpty)
    )(_ => None)
    val decided = plan.transformDownWithPruning(_.containsPattern(LIMIT)) { case limit: LocalLimit =>
      decide(limit, root.exists(_ eq limit), skipping.filter(_.limit eq limit).fold(0)(_.rows))
    }
    if (skipping.isEmpty) decided
    else FailOpen(state, rule.conf)(SkipByOffset.withoutSkipped(decided))(_ => None).getOrElse(plan)
  }

  /**
   * Undoes what was decided about LIMITs that are to be left alone.
   *
   * @param restore see [[LeftAlone.restored]]
   * @param isOpen whether the rule decides about a LIMIT of the plan
   */
  protected def leaveAlone(plan: LogicalPlan, restore: LogicalPlan => LogicalPlan)(
      isOpen: LocalLimit => Boolean
  ): (LogicalPlan, LeftAlone) =
    FailOpen(state, rule.conf) {
      val (restored, copied) = CopiedLimits.restoredIn(restore(plan))(isOpen)
      val leftAlone =
        if (mayBeMergedTwice(plan)) new LeftAlone(_ => Some(Reason.RepeatedLimit))
        else LeftAlone.of(restored, copied)
      (restored, leftAlone)
    }(reason => (plan, new LeftAlone(_ => Some(reason))))

  /**
   * Whether the plan may be one of two that have the source of a MERGE over Delta, each with other columns. Both join the source
   * with the target.
   */
  protected def mayBeMergedTwice(plan: LogicalPlan): Boolean =
    DeltaLake.evaluatesSourcesTwice(rule.conf) && (plan.containsPattern(JOIN) || plan.isInstanceOf[Subquery])

  /** Whether the relation below is that of a pruned LIMIT, whatever Spark's rules have put between them since. */
  protected def isDecidedBelow(plan: LogicalPlan): Boolean = plan match {
    case SelectedRelation(_, _) | UndecidedRelation(_, _) => true
    case _: LocalLimit => false
    case AboveTable(next) => isDecidedBelow(next)
    case _ => false
  }
}
