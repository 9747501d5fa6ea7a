package limitpruning.predicate

import scala.concurrent.duration.{DurationInt, FiniteDuration}

/**
 * The work that one search may do with expressions: nodes of expressions that are evaluated, and the time that this takes.
 * What exceeds one of both is not evaluated, and proves nothing. Also counts other work, for the metrics. Not
 * thread-safe.
 *
 * @param most the maximum of nodes; the default takes a fraction of a second
 * @param mostTime the maximum of time; nodes may take longer than usual, such as those of a function over long strings
 * @param mostInVain the maximum of nodes that are evaluated in succession without a result
 */
final class Work(
    most: Long = Work.Default,
    mostTime: FiniteDuration = Work.LongestTime,
    mostInVain: Long = Long.MaxValue
) {
  private var nodes = 0L
  private var nodesOfResult = 0L
  private var checked = 0L
  private var lastCheck = System.nanoTime()
  private var nanos = 0L
  private var decoded, classified = 0L

  /** The nodes that were evaluated, at most `most` and those of one expression. */
  def done: Long = nodes

  /**
   * Counts an evaluation before it happens.
   *
   * @param size the number of nodes
   * @param mayTakeLong whether a node may take much longer than usual
   * @return whether the evaluation is within the budget
   * @throws InterruptedException if the thread was interrupted, because the query is cancelled
   */
  def spend(size: Long, mayTakeLong: Boolean = false): Boolean =
    if (isUsedUp) false
    else {
      nodes += size
      if (mayTakeLong || nodes - checked >= Work.UncheckedNodes) {
        checked = nodes
        check()
      }
      true
    }

  private def check(): Unit = {
    Work.checkInterrupted()
    val now = System.nanoTime()
    // In longer gaps, the search waits for storage.
    nanos += (now - lastCheck).min(Work.LongestGap)
    lastCheck = now
  }

  /** Whether nothing more is evaluated. */
  def isUsedUp: Boolean =
    nodes >= most || nodes - nodesOfResult >= mostInVain || nanos > mostTime.toNanos

  /** Notes that something was decided. If nothing more is evaluated, this stays so. */
  def hasResult(): Unit = if (!isUsedUp) nodesOfResult = nodes

  /** Counts values of dictionaries that were decoded. */
  def addDecoded(values: Long): Unit = decoded += values

  /** Counts ranges of pages before they are classified. */
  def addPages(ranges: Int): Unit = {
    classified += ranges
    resume()
  }

  /** Evaluation begins again. The search may have waited for storage. */
  def resume(): Unit = {
    Work.checkInterrupted()
    lastCheck = System.nanoTime()
  }

  def counts: WorkCounts = WorkCounts(nodes, decoded, classified)
}

/**
 * The work of one search.
 *
 * @param evaluated nodes of expressions that were evaluated
 * @param decoded values of dictionaries that were decoded
 * @param pages ranges of pages that were classified
 * @param footers footers of inspected files that were not cached, read by the driver or by a job
 * @param opened files that the driver opened during the search, each time that it did
 * @param allocated bytes that the planning thread allocated; 0 if this Java does not say
 */
final case class WorkCounts(
    evaluated: Long = 0,
    decoded: Long = 0,
    pages: Long = 0,
    footers: Long = 0,
    opened: Long = 0,
    allocated: Long = 0
)

object Work {

  /** @throws InterruptedException if the thread was interrupted, because the query is cancelled */
  def checkInterrupted(): Unit =
    if (Thread.interrupted()) throw new InterruptedException("planning was interrupted")

  /** A node takes about 20 ns. */
  val Default: Long = 4L * 1000 * 1000

  /**
   * The work that a search may do if the first task of plain Spark may find enough rows.
   *
   * @param mostTime the maximum of time for other searches
   */
  def ofOneTask(mostTime: FiniteDuration): Work =
    new Work(mostTime = mostTime.min(LongestOfOneTask), mostInVain = MostInVainOfOneTask)

  /** The task evaluates slow functions, too, but for a few rows. */
  private val LongestOfOneTask = 500.millis

  /** Takes 2 ms: a twentieth of the shortest job. */
  private val MostInVainOfOneTask = 100L * 1000

  /** Without a setting. */
  val LongestTime: FiniteDuration = 2.seconds

  private val LongestGap = 50L * 1000 * 1000

  /** After as many nodes, it is checked whether the thread was interrupted, and the time. */
  private val UncheckedNodes = 1000L
}
