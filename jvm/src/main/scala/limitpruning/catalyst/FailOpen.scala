package limitpruning.catalyst

import scala.util.control.NonFatal

import org.apache.spark.SparkException
import org.apache.spark.internal.Logging
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.select.Reason
import limitpruning.shims.SparkShims

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
