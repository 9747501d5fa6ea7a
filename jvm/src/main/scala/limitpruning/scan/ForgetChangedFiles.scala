package limitpruning.scan

import org.apache.spark.ExceptionFailure
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}

import limitpruning.parquet.FactsCache

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
