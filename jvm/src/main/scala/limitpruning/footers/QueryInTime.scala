package limitpruning.footers

import java.util.UUID
import java.util.concurrent.{ExecutionException, FutureTask, TimeoutException}
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.concurrent.duration.{Deadline, Duration, FiniteDuration}

import org.apache.spark.SparkContext

/**
 * Runs Spark queries that planning needs, each on a thread of its own, so that one that takes too long can be left. Not
 * thread-safe.
 *
 * @param maxTime the maximum time of all queries together
 * @param slow what earlier queries took too long
 */
private[limitpruning] final class QueryInTime(
    context: SparkContext,
    maxTime: FiniteDuration,
    slow: SlowQueries
) {
  private var timeLeft = maxTime

  /**
   * @param name names the query among those of all tables
   * @param query the query; it has the local properties of this thread, so its jobs are cancelled with those of the query
   *   that is planned
   * @return none if the time was not enough; the jobs of the query are cancelled then; none, too, if it was not enough for
   *   earlier queries of this name, and the next one is not yet due. After it, no query is run.
   * @throws InterruptedException if the query that is planned is cancelled; so are the jobs
   */
  def apply[T](name: PlanningQuery)(query: => T): Option[T] =
    if (timeLeft.length <= 0) None
    else if (!slow.mayRun(name, maxTime)) {
      timeLeft = Duration.Zero // as after a query that was left
      None
    } else {
      val started = Deadline.now
      val found =
        try run(query)
        finally timeLeft -= Deadline.now - started
      if (found.isEmpty) slow.wasLeft(name, maxTime) else slow.wasDone(name, maxTime)
      found
    }

  private def run[T](query: => T): Option[T] = {
    val tag = s"limit-pruning-${UUID.randomUUID}"
    @volatile var isLeft = false
    val task = new FutureTask[T](() => {
      context.addJobTag(tag) // a local property of the new thread alone
      try query
      // The query may have submitted a job after the others were cancelled.
      finally if (isLeft) context.cancelJobsWithTag(tag)
    })
    val thread = new Thread(task, "limit-pruning-query")
    thread.setDaemon(true)
    thread.start()
    def leave(): Unit = {
      isLeft = true
      context.cancelJobsWithTag(tag)
      val _ = task.cancel(true)
    }
    try Some(task.get(timeLeft.toNanos, NANOSECONDS))
    catch {
      case _: TimeoutException =>
        leave()
        None
      case interrupted: InterruptedException =>
        leave()
        throw interrupted
      case failed: ExecutionException => throw failed.getCause
    }
  }
}
