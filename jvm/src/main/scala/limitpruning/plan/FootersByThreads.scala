package limitpruning.plan

import java.util.concurrent.{Callable, Executors, ThreadFactory}
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.concurrent.duration.FiniteDuration

import limitpruning.parquet.{FactsCache, Footer, FooterReader}

/** Reads footers on threads of the driver, which end with the wave that they were made for. */
private[plan] final class FootersByThreads(reader: FooterReader, cache: FactsCache, threads: Int)
    extends FooterSource {

  override def begin(files: Seq[FooterToRead]): FootersUnderWay = {
    // A pool of the query's own: its threads inherit the caller's Hadoop user, and none can outlive a query.
    val pool = Executors.newFixedThreadPool(math.min(threads, files.size), FootersByThreads.daemons)
    val reading = files.map { case FooterToRead(file, columns) =>
      pool.submit((() => cache.keep(file, reader.read(file, columns))): Callable[Footer])
    }.toIndexedSeq
    new FootersUnderWay {
      override def await(index: Int, time: FiniteDuration): Footer =
        reading(index).get(time.toNanos.max(0L), NANOSECONDS)
      override def close(): Unit = { val _ = pool.shutdownNow() }
    }
  }
}

private object FootersByThreads {
  private val daemons: ThreadFactory = task => {
    val thread = new Thread(task, "limit-pruning-footers")
    thread.setDaemon(true)
    thread
  }
}
