package limitpruning.scan

import limitpruning.select.RowRange

/**
 * The rows of a row group that a reader returns, in runs of rows that are due and of rows that are not. Passes over them as
 * the reader returns them.
 *
 * @param read the rows that the reader returns, ascending and not adjacent
 * @param due those of them that are due, ascending and not adjacent
 */
private[scan] final class Cuts(read: Seq[RowRange], due: Seq[RowRange]) {
  private val (lengths, areDue) = Cuts.runs(read, due).unzip match {
    case (lengths, areDue) => (lengths.toArray, areDue.toArray)
  }
  private var run = 0
  private var rest = if (lengths.isEmpty) Long.MaxValue else lengths(0)

  /** Whether some rows of the row group are not due. */
  val areSome: Boolean = areDue.contains(false)

  /** Whether the next row is due. */
  def isDue: Boolean = run >= areDue.length || areDue(run)

  /** The rows that are left of the first run. */
  def left: Long = rest

  /** @throws IllegalStateException if the rows are not of one run */
  def pass(rows: Long): Unit = {
    if (rows > rest)
      throw new IllegalStateException(s"$rows rows were read at once, of which the first $rest are apart")
    rest -= rows
    if (rest == 0) {
      run += 1
      rest = if (run < lengths.length) lengths(run) else Long.MaxValue
    }
  }
}

private object Cuts {

  private def runs(read: Seq[RowRange], due: Seq[RowRange]): Seq[(Long, Boolean)] = {
    val runs = Vector.newBuilder[(Long, Boolean)]
    var (length, areDue) = (0L, true)
    def add(rows: Long, isDue: Boolean): Unit = if (rows > 0) {
      if (isDue != areDue && length > 0) {
        runs += ((length, areDue))
        length = 0
      }
      areDue = isDue
      length += rows
    }
    val wanted = due.iterator.buffered
    read.foreach { range =>
      var next = range.from
      while (wanted.hasNext && wanted.head.until <= range.until) {
        val found = wanted.next()
        add(found.from - next, isDue = false)
        add(found.rows, isDue = true)
        next = found.until
      }
      add(range.until - next, isDue = false)
    }
    if (length > 0) runs += ((length, areDue))
    runs.result()
  }
}
