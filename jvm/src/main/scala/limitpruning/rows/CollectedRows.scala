package limitpruning.rows

import org.apache.spark.sql.catalyst.InternalRow

/** The rows that the jobs of a search have found, until they are enough. Not thread-safe. */
private[rows] trait CollectedRows {

  /**
   * What a task of the next job does with the rows of its partition: it stops when it has found enough. The result is in bytes, so
   * that the serializer of the application does not matter. The function must not capture what stays on the driver.
   *
   * @param tasks number of tasks of the job
   */
  def inTask(tasks: Int): Iterator[InternalRow] => Array[Byte]

  /** Adds the results of the tasks of one job, in the order of reading. */
  def add(results: Seq[Array[Byte]]): Unit

  /** The number of rows, or of groups, that have been found; it may be more than are needed. */
  def found: Long

  /** Whether each task has read all rows of its partition. */
  def areAll: Boolean

  /** The number of tasks whose results the driver can hold; known after the first job. */
  def mostTasks: Int

  /** Whether the rows cannot be collected, because their keys are too large. */
  def isTooLarge: Boolean

  /** The rows, by file. */
  def positions: Seq[Positions]
}

/** Any rows. */
private[rows] final class AnyRows(limit: Int) extends CollectedRows {
  private var all = Vector.empty[Positions]
  private var areRead = true

  private def missing: Int = (limit - found).toInt

  override def inTask(tasks: Int): Iterator[InternalRow] => Array[Byte] = AnyRows.first(missing)

  override def add(results: Seq[Array[Byte]]): Unit = {
    val enough = missing
    val parts = results.map(Positions.ofBytes(_))
    areRead &&= parts.forall(_.iterator.map(_.rows.length).sum < enough)
    all ++= parts.flatten
  }

  override def found: Long = all.iterator.map(_.rows.length.toLong).sum
  override def areAll: Boolean = areRead
  override def mostTasks: Int = Int.MaxValue
  override def isTooLarge: Boolean = false
  override def positions: Seq[Positions] = Positions.merged(all, limit)
}

private object AnyRows {
  private def first(limit: Int): Iterator[InternalRow] => Array[Byte] =
    rows => Positions.toBytes(Positions.first(rows, limit))
}
