package limitpruning.scan

import java.io.Closeable

import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Passes on the rows of a run of row groups, counts the row groups that are begun, and makes sure that the file did not
 * change before their bytes had been read, and at the end that there were just as many rows as planned.
 *
 * @param rows the reader's rows, or batches of rows, which do not cross row groups: those that are planned
 * @param planned the row groups of the run
 * @param check whether the file is still the one that was planned
 * @param bytesRead compressed bytes; a row group's are read together, when its first row is
 */
private[scan] final class PlannedRows(
    rows: Iterator[Any],
    path: String,
    planned: Seq[PlannedRowGroup],
    check: CheckUnchanged,
    rowGroupsRead: SQLMetric,
    bytesRead: SQLMetric
) extends Iterator[Any]
    with Closeable {
  private val total = planned.map(_.rowsToRead).sum
  private var delivered = 0L
  private var begun = 0
  private var nextBegins = 0L

  override def hasNext: Boolean = {
    val more = check.orElse(rows.hasNext)
    if (!more && delivered != total)
      throw new FileChangedException(path, s"it has $delivered rows instead of $total")
    more
  }

  override def next(): Any = {
    val element = rows.next()
    // A row group's bytes are read together: now they have been.
    if (nextBegins <= delivered) check.whileOpen()
    while (begun < planned.length && nextBegins <= delivered) {
      nextBegins += planned(begun).rowsToRead
      rowGroupsRead += 1
      bytesRead += planned(begun).bytes
      begun += 1
    }
    delivered +=
      (element match {
        case batch: ColumnarBatch => batch.numRows().toLong
        case _ => 1L
      })
    element
  }

  override def close(): Unit = CloseRows(rows)
}

/**
 * Passes on whatever rows Spark's reader gives of a run of row groups from which it leaves out what its filters exclude.
 * Which row groups it read is not told, so all of the run count with its first row.
 *
 * @param rows the reader's rows, or batches of rows
 */
private[scan] final class CandidatesRead(
    rows: Iterator[Any],
    planned: Seq[PlannedRowGroup],
    rowGroupsRead: SQLMetric,
    bytesRead: SQLMetric
) extends Iterator[Any]
    with Closeable {
  private var isBegun = false

  override def hasNext: Boolean = rows.hasNext

  override def next(): Any = {
    val element = rows.next()
    if (!isBegun) {
      isBegun = true
      rowGroupsRead += planned.size.toLong
      bytesRead += planned.map(_.bytes).sum
    }
    element
  }

  override def close(): Unit = CloseRows(rows)
}

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

private[scan] object CloseRows {

  /** Closes what is read, where it is something that can be closed. */
  def apply(rows: Iterator[_]): Unit = rows match {
    case open: Closeable => open.close()
    case _ =>
  }
}
