package limitpruning.rows

/**
 * How many partitions of a table each job reads that searches for rows: few at first, as Spark's `take` does, and all the
 * rest after at most [[NextWave.Most]] jobs, unless their tasks could find too many rows together.
 *
 * @param partitions of the table that may have a row
 * @param initial of the first job
 * @param scaleUp how many times as many as the one before each further job reads
 * @param cores a further job that reads fewer would not be faster
 * @param learned the rows in these partitions that are expected to satisfy the predicate; none if nothing is known
 */
private[rows] final case class NextWave(
    partitions: Int,
    initial: Int,
    scaleUp: Int,
    cores: Int,
    learned: Option[Double] = None
) {
  import NextWave._

  /**
   * @param done the partitions that have been read
   * @param last those of them that the last job read
   * @param waves the number of jobs so far
   * @param found the rows in these partitions
   * @param missing the rows that the LIMIT still needs
   * @return how many partitions the next job reads
   */
  def size(done: Int, last: Int, waves: Int, found: Long, missing: Long): Int = {
    val rest = partitions - done

    // If the partitions have so many rows each, so many partitions suffice.
    def expected(least: Long, rows: Double): Long = {
      val expected = math.ceil(Reserve * missing / rows).toLong
      if (expected > rest * WorthAWave) rest.toLong else math.max(least, expected)
    }

    def grown = math.max(cores.toLong, last.toLong * scaleUp)
    val size =
      if (waves == 0) learned.fold(initial.toLong)(rows => expected(initial.toLong, rows / partitions))
      else if (waves < FewAtFirst && (learned.isEmpty || found == 0)) grown
      else if (waves < Most && found > 0)
        expected(if (learned.isEmpty) grown else cores.toLong, found.toDouble / done)
      else rest.toLong
    // Each task may return as many positions as are missing.
    Seq(size, rest.toLong, math.max(cores.toLong, MostPositions / missing)).min.toInt
  }
}

private[rows] object NextWave {

  /** The number of jobs before one job reads all the rest, if none found a row. */
  val FewAtFirst = 2

  /** The number of jobs before one job reads all the rest. */
  val Most = 3

  /** The positions that all tasks of a job return are on the driver. */
  private val MostPositions = 10000000L

  /** What Spark's `take` multiplies the expected number of partitions by. */
  private val Reserve = 1.5

  /** A job that reads more of the rest than this share is followed by another one too often. */
  private val WorthAWave = 0.5
}
