package limitpruning.footers

import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.concurrent.duration.FiniteDuration

import limitpruning.parquet.{Footer, FooterReader}

/** Reads footers on threads of the driver. */
private[limitpruning] final class FootersByThreads(
    reader: FooterReader,
    cache: FactsCache,
    threads: PlanningThreads
) extends FooterSource {

  override def begin(files: Seq[FooterToRead]): FootersUnderWay = {
    val reading = files.map { case FooterToRead(file, columns) =>
      threads.submit[Footer](() => cache.keep(file, reader.read(file, columns)))
    }.toIndexedSeq
    new FootersUnderWay {
      override def await(index: Int, time: FiniteDuration): Footer =
        reading(index).get(time.toNanos.max(0L), NANOSECONDS)
      override def close(): Unit = reading.foreach(_.cancel(true): Unit)
    }
  }
}
