package limitpruning.search

/**
 * What is read about a row group.
 *
 * @param bytes of dictionaries, bloom filters and page indexes
 * @param request the bytes that a task could read during a request to the storage; 0 if no request is necessary
 * @param isFirstEvidence whether footers say nothing about a column: then plain Spark cannot skip row groups by statistics
 *   either, and may read many
 */
private[search] final case class Reading(bytes: Long, request: Long = 0, isFirstEvidence: Boolean = false)

/**
 * What a search has read without deciding a row group, compared with what plain Spark's scan would read instead. At most a
 * twentieth is read in vain. Both are in bytes that a task of a scan reads in the same time. Not thread-safe.
 *
 * @param isOneTask whether the first task of plain Spark may find enough rows: for a LIMIT without ORDER BY at the root of a
 *   query. Requests to storage count then. Other scans read the whole table, of which the row groups count that the search
 *   has come to since the last decision.
 */
private[search] final class ReadInVain(val isOneTask: Boolean) {
  import ReadInVain._

  private var ofScan = 0L
  private var read = 0L

  /** Counts the bytes of a row group that the scan would read. A first task may read one. */
  def addScanned(bytes: Long): Unit = ofScan = if (isOneTask) ofScan.max(bytes) else ofScan + bytes

  /** Whether something about another row group may be read in vain. */
  def allows(reading: Reading): Boolean =
    if (isComparedWithTask(reading))
      read + cost(reading) <= (FirstTask + RequestsToOpen * reading.request + ofScan) / Share
    else read + cost(reading) <= (WholeTable + ofScan) / Share

  /** Counts what was read in vain about a row group. */
  def add(reading: Reading): Unit = read += cost(reading)

  private def cost(reading: Reading): Long =
    Fixed + Decoding * reading.bytes + (if (isComparedWithTask(reading)) reading.request else 0L)

  private def isComparedWithTask(reading: Reading): Boolean = isOneTask && !reading.isFirstEvidence

  /** Something was decided. What was read before has paid. */
  def restart(): Unit = {
    ofScan = 0
    read = 0
  }
}

private object ReadInVain {

  /** What is read in vain is one in so many of what the scan reads. */
  private val Share = 20L

  /** Values of dictionaries are decoded and sorted. This takes so many times as long as reading a column. */
  private val Decoding = 2L

  /** To open a file, and to evaluate the predicate, takes one to two milliseconds. */
  private val Fixed = 144L * 1024

  /** A job with one task takes 40 ms or more, and a task reads about 100 MB/s. */
  private val FirstTask = 4L * 1024 * 1024

  /** A scan of a table takes at least 0.4 s. Small tables are scanned in less time, and have small dictionaries. */
  private val WholeTable = 40L * 1024 * 1024

  /** The status of a file, opening it, and two for its footer. */
  private val RequestsToOpen = 4L
}
