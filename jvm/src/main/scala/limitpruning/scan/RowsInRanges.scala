package limitpruning.scan

import java.io.Closeable

import org.apache.spark.sql.vectorized.ColumnarBatch

/** Of all rows of a run of row groups, passes on the planned ones, by their position, and stops after the last. */
private[scan] final class RowsInRanges(rows: Iterator[Any], planned: Seq[PlannedRowGroup])
    extends Iterator[Any]
    with Closeable {
  private val starts = planned.scanLeft(0L)(_ + _.rows)

  /** Positions in the run: from, until. */
  private val ranges = planned.zip(starts).iterator.flatMap { case (rowGroup, start) =>
    rowGroup.ranges.iterator.map(range => (start + range.from, start + range.until))
  }
  private var from, until = 0L
  private var position = 0L // of the row that comes next

  override def hasNext: Boolean = {
    if (position >= until && ranges.hasNext) {
      val (nextFrom, nextUntil) = ranges.next()
      from = nextFrom
      until = nextUntil
    }
    while (position < from && rows.hasNext) skip()
    position < until && rows.hasNext
  }

  override def next(): Any = {
    if (!hasNext) throw new NoSuchElementException
    position += 1
    rowOf(rows.next())
  }

  private def skip(): Unit = {
    position += 1
    val _ = rowOf(rows.next())
  }

  private def rowOf(element: Any): Any = element match {
    case _: ColumnarBatch =>
      throw new IllegalStateException(
        "This executor's Spark cannot be told which rows of a row group to read, though the driver's can: run the same " +
          "release of Spark on both, or set spark.limitPruning.planning.maxBytes=0."
      )
    case row => row
  }

  override def close(): Unit = CloseRows(rows)
}
