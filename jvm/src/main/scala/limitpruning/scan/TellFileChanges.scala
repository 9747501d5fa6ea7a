package limitpruning.scan

import org.apache.spark.SparkException
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Passes on a task's rows, and fails with a [[FileChangedException]] itself where Spark wraps it into an error that
 * says no more than that a file could not be read.
 */
private[scan] final class TellFileChanges(rows: Iterator[Any]) extends Iterator[Any] {
  override def hasNext: Boolean =
    try rows.hasNext
    catch {
      case error: SparkException =>
        throw error.getCause match { case changed: FileChangedException => changed; case _ => error }
    }

  override def next(): Any = rows.next()
}

private[scan] object TellFileChanges {

  /** @param rows or batches, which Spark types as rows, too */
  def in(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    new TellFileChanges(rows).asInstanceOf[Iterator[InternalRow]]
}
