package limitpruning.footers

/**
 * How often something was tried in vain, in succession. After each failure, more queries do not try: three, then fifteen, and
 * then sixty-three. Thread-safe.
 */
private[footers] final class Attempts {
  import Attempts._

  private var skipped, left = 0
  private var hasSucceeded = false

  /** Whether an attempt ended. */
  def hasTried: Boolean = synchronized(skipped > 0 || hasSucceeded)

  /** Whether the next query tries. Each call counts as one query. */
  def isDue(): Boolean = synchronized {
    left -= 1
    left < 0
  }

  /**
   * Notes a failure. Of queries that tried at the same time, one counts.
   *
   * @param most the maximum number of queries that do not try after it
   */
  def failed(most: Int = Most): Unit = synchronized(if (left < 0 || skipped == 0) {
    skipped = math.min(most, (skipped + 1) * Growth - 1)
    left = skipped
  })

  /** So many queries, with this one, do not try, although nothing has failed. */
  def postpone(queries: Int): Unit = synchronized { left = queries - 1 }

  /** Notes a success, and whether it is the first one. */
  def isFirstSuccess(): Boolean = synchronized {
    val isFirst = !hasSucceeded
    skipped = 0
    left = 0
    hasSucceeded = true
    isFirst
  }
}

private object Attempts {
  private val Most = 63

  /** The first failure is followed by so many queries, less one, and each further one by as many times more. */
  private val Growth = 4
}
