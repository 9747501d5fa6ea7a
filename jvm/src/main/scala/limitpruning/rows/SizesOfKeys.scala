package limitpruning.rows

/**
 * What a query for groups reads of all row groups that may match, estimated: the columns of its keys and of its predicate.
 *
 * @param first the compressed bytes of these columns
 */
private[rows] final case class SizesOfKeys(first: Double, rowGroups: Double, rows: Double) {
  import SizesOfKeys._

  /** The bytes that need not be read if one row group has enough groups. It is read first, and its rows are read again. */
  def saved: Long = if (rowGroups < ReadTwice) 0L else (first * (1 - ReadTwice / rowGroups)).toLong

  /**
   * Whether a sample of one row group for each of `tasks`, which run at the same time, takes little of the time that the query takes:
   * it is in vain if the sample has too few groups.
   *
   * @param minBytes the minimum of compressed bytes that must be saved
   */
  def maySample(tasks: Int, minBytes: Long): Boolean =
    rowGroups >= tasks * LeastRowGroupsOfTask && first >= tasks * minBytes * SampleFactor

  /** The maximum number of rows of a row group of the sample. */
  def mostRows(tasks: Int): Long = (rows / (tasks.toDouble * LeastRowGroupsOfTask)).toLong
}

private object SizesOfKeys {
  private val ReadTwice = 2.0

  /** With so many row groups for each task that runs at the same time, reading one of them takes a twentieth of the time. */
  private val LeastRowGroupsOfTask = 20

  /**
   * A task reads so many times the minimum in about twenty times as long as a job of one row group takes to start, from the
   * cache of a local disk.
   */
  private val SampleFactor = 8.0
}
