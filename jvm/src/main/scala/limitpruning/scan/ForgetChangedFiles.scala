package limitpruning.scan

import org.apache.spark.{ExceptionFailure, SparkException}
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.catalyst.InternalRow

import limitpruning.footers.FactsCache

/**
 * Empties the cache of footers once a task has found that a file was replaced, so that the query can be repeated. Of all
 * files, not of this one: files are rarely replaced alone, and each of them would fail a query of its own where the storage
 * shows neither another length nor another time.
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
 * Passes on a task's rows, and fails with a [[FileChangedException]] itself where Spark wraps it into an error that
 * says no more than that a file could not be read.
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

  /** @param rows or batches, which Spark types as rows, too */
  def in(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    new ReportFileChanges(rows).asInstanceOf[Iterator[InternalRow]]
}
