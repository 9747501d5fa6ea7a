package limitpruning.footers

import java.io.Closeable
import java.util.concurrent.atomic.AtomicLong

/** The memory that the searches of an application hold while they plan LIMITs. Thread-safe. */
final class PlanningMemory {
  private val used = new AtomicLong

  /** The approximate bytes that all searches hold now. */
  def bytes: Long = used.get

  /** @param most the maximum for all searches together, in bytes */
  def search(most: Long): SearchMemory = new SearchMemory(used, most)
}

/**
 * The part of the memory that one search holds, until it is closed. Not thread-safe.
 *
 * @param all the bytes of all searches
 * @param most the maximum of `all`
 */
final class SearchMemory private[footers] (all: AtomicLong, most: Long) extends Closeable {
  private var held = 0L
  private var footers = 0

  /** @param bytes the approximate size of another footer that the search holds */
  def add(bytes: Long): Unit = {
    held += bytes
    footers += 1
    val _ = all.addAndGet(bytes)
  }

  /** Whether not even one more footer fits. */
  def isUsedUp: Boolean = all.get >= most || moreFooters == 0

  /** How many more footers fit, if they are as large as those before. */
  def moreFooters: Int =
    if (footers == 0) Int.MaxValue
    else ((most - all.get) / (held / footers).max(1)).max(0).min(Int.MaxValue).toInt

  override def close(): Unit = {
    val _ = all.addAndGet(-held)
    held = 0
  }
}
