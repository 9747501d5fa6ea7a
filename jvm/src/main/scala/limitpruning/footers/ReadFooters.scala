package limitpruning.footers

import java.io.Closeable
import java.util.concurrent.{ExecutionException, TimeoutException}
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.concurrent.duration.{Deadline, FiniteDuration}

import org.apache.hadoop.fs.FileStatus

import limitpruning.parquet.{FileColumns, Footer, FooterReader}
import limitpruning.select.ListedFile

/** Reads footers of files in parallel, as far as possible in the given order. */
private[limitpruning] trait FooterSource {

  /** Starts to read the footers. */
  def begin(files: Seq[FooterToRead]): FootersUnderWay
}

/** @param columns the columns that the footer must contain */
private[limitpruning] final case class FooterToRead(file: FileStatus, columns: FileColumns)

/** Footers that are being read. Closing it cancels the reading of those that are no longer needed. */
private[limitpruning] trait FootersUnderWay extends Closeable {

  /**
   * @param index of the file
   * @throws TimeoutException if the footer does not arrive in time
   * @throws ExecutionException if it cannot be read
   */
  def await(index: Int, time: FiniteDuration): Footer
}

/**
 * Returns the footers of waves of files. Cached footers are returned at once. The number of the others
 * decides which source reads them. Each search needs its own instance.
 *
 * @param columns the columns that the footers must contain
 * @param threads reads fewer than `jobFiles` footers
 * @param job reads at least `jobFiles` footers, unless the cluster is busy
 * @param isBusy whether a job would have to wait for other tasks
 */
private[limitpruning] final class ReadFooters(
    columns: FileColumns,
    cache: FactsCache,
    threads: FooterSource,
    job: FooterSource,
    jobFiles: Int,
    isBusy: () => Boolean = () => false
) {
  private var found = 0

  /** The number of footers returned so far that were cached. */
  def hits: Int = found

  def apply(files: Seq[ListedFile]): FooterWave = {
    val cached = files.map(file => cache.footer(file.status, columns)).toIndexedSeq
    val missing = files.zip(cached).collect { case (file, None) =>
      FooterToRead(file.status, cache.widened(file.status, columns))
    }
    val source = if (missing.size >= jobFiles && !isBusy()) job else threads
    new FooterWave(cached, if (missing.isEmpty) None else Some(source.begin(missing)), () => found += 1)
  }
}

/** The footers of one wave, in order. It must be closed, even if not all footers were requested. */
private[limitpruning] final class FooterWave(
    cached: IndexedSeq[Option[Footer]],
    underWay: Option[FootersUnderWay],
    countHit: () => Unit
) extends Closeable {
  private var position, missed = 0

  /**
   * @return none if there is no other footer, or if it did not arrive in time
   * @throws limitpruning.parquet.UnreadableFooterException if a footer cannot be read
   * @throws InterruptedException if the query is cancelled
   */
  def next(deadline: Deadline): Option[Footer] =
    if (position == cached.size) None
    else {
      position += 1
      val footer = cached(position - 1)
      if (footer.isEmpty) await(deadline)
      else { countHit(); footer }
    }

  private def await(deadline: Deadline): Option[Footer] = {
    missed += 1
    try underWay.map(_.await(missed - 1, deadline.timeLeft))
    catch {
      case _: TimeoutException => None
      case e: ExecutionException => throw e.getCause
    }
  }

  override def close(): Unit = underWay.foreach(_.close())
}

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
