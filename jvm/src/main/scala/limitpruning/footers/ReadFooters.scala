package limitpruning.footers

import java.io.Closeable
import java.util.concurrent.{ExecutionException, TimeoutException}

import scala.concurrent.duration.{Deadline, FiniteDuration}

import org.apache.hadoop.fs.FileStatus

import limitpruning.parquet.{FileColumns, Footer}
import limitpruning.select.ListedFile

/** Reads footers of files at the same time, as far as it goes in the order in which they are given. */
private[limitpruning] trait FooterSource {

  /** Begins to read. */
  def begin(files: Seq[FooterToRead]): FootersUnderWay
}

/** @param columns what the footer is to tell of */
private[limitpruning] final case class FooterToRead(file: FileStatus, columns: FileColumns)

/** Footers that are being read; what nobody waits for any more is abandoned when this is closed. */
private[limitpruning] trait FootersUnderWay extends Closeable {

  /**
   * @param index of the file
   * @throws TimeoutException where the footer does not come in time
   * @throws ExecutionException where it cannot be read
   */
  def await(index: Int, time: FiniteDuration): Footer
}

/**
 * Gives the footers of waves of files: those that are kept at once, the others from a source, by how many they are. One
 * search, one instance.
 *
 * @param columns what the footers are to tell of
 * @param threads reads few footers
 * @param job reads at least `jobFiles` of them
 */
private[limitpruning] final class ReadFooters(
    columns: FileColumns,
    cache: FactsCache,
    threads: FooterSource,
    job: FooterSource,
    jobFiles: Int
) {
  private var found = 0

  /** Footers given so far that were kept. */
  def hits: Int = found

  def apply(files: Seq[ListedFile]): FooterWave = {
    val kept = files.map(file => cache.footer(file.status, columns)).toIndexedSeq
    val missing = files.zip(kept).collect { case (file, None) =>
      FooterToRead(file.status, cache.widened(file.status, columns))
    }
    val source = if (missing.size >= jobFiles) job else threads
    new FooterWave(kept, if (missing.isEmpty) None else Some(source.begin(missing)), () => found += 1)
  }
}

/** The footers of one wave, in order. To be closed, even if not all were asked for. */
private[limitpruning] final class FooterWave(
    kept: IndexedSeq[Option[Footer]],
    underWay: Option[FootersUnderWay],
    countHit: () => Unit
) extends Closeable {
  private var position, missed = 0

  /**
   * @return none where there is no other footer, or it did not come in time
   * @throws limitpruning.parquet.UnreadableFooterException for a file that has none
   * @throws InterruptedException where the query is cancelled
   */
  def next(deadline: Deadline): Option[Footer] =
    if (position == kept.size) None
    else {
      position += 1
      val footer = kept(position - 1)
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
