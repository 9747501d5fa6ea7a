package limitpruning.plan

import java.util.concurrent.Callable
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.concurrent.duration.FiniteDuration

import limitpruning.parquet.{FactsCache, Footer, FooterReader, PlanningThreads}

/** Reads footers on threads of the driver, which end with the wave that they were made for. */
private[plan] final class FootersByThreads(reader: FooterReader, cache: FactsCache, threads: Int)
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
