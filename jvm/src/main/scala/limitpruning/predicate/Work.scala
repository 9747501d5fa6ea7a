package limitpruning.predicate

/**
 * The work that one search may do with expressions, in nodes of expressions that are evaluated. What exceeds it is not
 * evaluated, and proves nothing. Also counts other work, for the metrics. Not thread-safe.
 *
 * @param most the maximum; the default takes a fraction of a second
 */
final class Work(most: Long = Work.Default) {
  private var nodes = 0L
  private var checked = 0L
  private var decoded, classified = 0L

  /** The nodes that were evaluated, at most `most` and those of one expression. */
  def done: Long = nodes

  /**
   * Counts an evaluation before it happens.
   *
   * @param size the number of nodes
   * @return whether the evaluation is within the budget
   * @throws InterruptedException if the thread was interrupted, because the query is cancelled
   */
  def spend(size: Long): Boolean =
    if (nodes >= most) false
    else {
      nodes += size
      if (nodes - checked >= Work.UncheckedNodes) {
        checked = nodes
        Work.checkInterrupted()
      }
      true
    }

  /** Whether nothing more is evaluated. */
  def isUsedUp: Boolean = nodes >= most

  /** Counts values of dictionaries that were decoded. */
  def addDecoded(values: Long): Unit = decoded += values

  /** Counts ranges of pages before they are classified. */
  def addPages(ranges: Int): Unit = {
    classified += ranges
    Work.checkInterrupted()
  }

  def counts: WorkCounts = WorkCounts(nodes, decoded, classified)
}

/**
 * The work of one search.
 *
 * @param evaluated nodes of expressions that were evaluated
 * @param decoded values of dictionaries that were decoded
 * @param pages ranges of pages that were classified
 */
final case class WorkCounts(evaluated: Long = 0, decoded: Long = 0, pages: Long = 0)

object Work {

  /** @throws InterruptedException if the thread was interrupted, because the query is cancelled */
  def checkInterrupted(): Unit =
    if (Thread.interrupted()) throw new InterruptedException("planning was interrupted")

  /** A node takes about 20 ns. */
  val Default: Long = 4L * 1000 * 1000

  /** After as many nodes, it is checked whether the thread was interrupted. */
  private val UncheckedNodes = 10000L
}
