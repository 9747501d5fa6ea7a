package limitpruning.footers

import java.util.concurrent.{Callable, ExecutorService, Executors, ThreadFactory}
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.concurrent.duration.FiniteDuration

import limitpruning.parquet.{Footer, FooterReader}

/** Reads footers on threads of the driver. The threads end with the wave for which they were created. */
private[limitpruning] final class FootersByThreads(reader: FooterReader, cache: FactsCache, threads: Int)
    extends FooterSource {

  override def begin(files: Seq[FooterToRead]): FootersUnderWay = {
    val pool = PlanningThreads.pool(math.min(threads, files.size))
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

/** Creates threads that read footers for planning, on the driver or in a task. */
object PlanningThreads {

  /**
   * A pool for one caller. Its threads inherit the caller's Hadoop user, and end when the pool is shut down.
   */
  def pool(threads: Int): ExecutorService = Executors.newFixedThreadPool(threads, daemons)

  private val daemons: ThreadFactory = task => {
    val thread = new Thread(task, "limit-pruning-footers")
    thread.setDaemon(true)
    thread
  }
}
