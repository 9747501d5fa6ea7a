package limitpruning.scan

import org.apache.spark.{ExceptionFailure, SparkException}
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.catalyst.InternalRow

import limitpruning.footers.FactsCache

/**
 * Empties the cache of footers when a task has found that a file was replaced. The query can then be
 * repeated. All files are removed, not only this one: files are rarely replaced alone. If the storage shows
 * the same length and time, each of the others would make another query fail.
 */
final class ForgetChangedFiles(cache: FactsCache) extends SparkListener {

  override def onTaskEnd(end: SparkListenerTaskEnd): Unit = end.reason match {
    case failure: ExceptionFailure =>
      val causes = Iterator.iterate(failure.exception.orNull)(_.getCause).takeWhile(_ != null).take(20)
      if (causes.exists(_.isInstanceOf[FileChangedException])) cache.forgetAll()
    case _ => ()
  }
}

/**
 * Returns a task's rows. If Spark wraps a [[FileChangedException]] into an error that only says that a file
 * could not be read, it throws the [[FileChangedException]] itself.
 */
private[scan] final class ReportFileChanges(rows: Iterator[Any]) extends Iterator[Any] {
  override def hasNext: Boolean =
    try rows.hasNext
    catch {
      case error: SparkException =>
        throw error.getCause match { case changed: FileChangedException => changed; case _ => error }
    }

  override def next(): Any = rows.next()
}

private[scan] object ReportFileChanges {

  /** @param rows rows, or batches, which Spark also types as rows */
  def in(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    new ReportFileChanges(rows).asInstanceOf[Iterator[InternalRow]]
}
