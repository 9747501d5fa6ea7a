package limitpruning.catalyst

import scala.util.control.NonFatal

import org.apache.spark.SparkException
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan, Subquery}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.JOIN
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.search.NotPruned
import limitpruning.select.Reason
import limitpruning.shims.SparkShims
import limitpruning.tables.{DeltaLake, SelectedRelation, UndecidedRelation}

/**
 * Runs a decision about one LIMIT. After an unexpected error, the LIMIT is not pruned, and the driver logs one warning.
 * A cancelled query stays cancelled. Adds the time that the decision takes to the counters of the application.
 */
object FailOpen extends Logging {

  /** @param failed the result after an unexpected error */
  def apply[T](state: PlanningState, conf: SQLConf)(decide: => T)(failed: Reason => T): T = {
    val started = System.nanoTime()
    try decide
    catch {
      case cancelled: SparkException if SparkShims.isCancelled(cancelled) => throw cancelled
      // Readers of other projects wrap what an interrupt does to their streams.
      case NonFatal(error) if Thread.currentThread.isInterrupted =>
        val _ = Thread.interrupted()
        throw new InterruptedException("interrupted while planning a LIMIT").initCause(error)
      // A linkage error occurs if this Spark lacks something that the extension uses. A stack overflow does no harm:
      // a decision has no state, and the rest of Spark's planning may need less stack.
      case error @ (NonFatal(_) | _: LinkageError | _: StackOverflowError)
          if !conf.getConf(LimitPruningConf.FailOnError) =>
        state.countFailure()
        logWarning("LIMIT pruning failed unexpectedly; the query is planned without it", error)
        failed(Reason.PlanningFailed(error.toString))
    } finally state.addPlanning(System.nanoTime() - started)
  }
}

/** A rule that prunes LIMITs. After an unexpected error, the query does not change. */
private[catalyst] trait PrunesLimits { rule: Rule[LogicalPlan] =>

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
