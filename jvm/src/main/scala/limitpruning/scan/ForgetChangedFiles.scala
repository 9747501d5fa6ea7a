package limitpruning.scan

import org.apache.hadoop.fs.Path
import org.apache.spark.ExceptionFailure
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}

import limitpruning.parquet.FactsCache

/**
 * Forgets what is kept of a file once a task found that it was changed, so that the query can be repeated whatever the
 * storage says of the file's age.
 */
final class ForgetChangedFiles(cache: FactsCache) extends SparkListener {

  override def onTaskEnd(end: SparkListenerTaskEnd): Unit = end.reason match {
    case failure: ExceptionFailure =>
      val causes = Iterator.iterate(failure.exception.orNull)(_.getCause).takeWhile(_ != null).take(20)
      causes.foreach {
        case changed: FileChangedException => cache.forget(new Path(new java.net.URI(changed.path)))
        case _ => ()
      }
    case _ => ()
  }
}
