package limitpruning.search

import java.util.concurrent.{ExecutionException, TimeoutException}
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.concurrent.duration.Deadline

import limitpruning.footers.PlanningThreads
import limitpruning.parquet.{FileParts, PartOfFile, Storage}

/**
 * Reads parts of files at the same time that a search would otherwise read one after the other. Parts of a file that
 * are near each other are read with one request. A part that cannot be read, or not in time, is left out: whoever needs
 * it reads it again, and handles the error.
 *
 * @param deadline nothing is awaited after it
 */
private[limitpruning] final class PrefetchParts(
    storage: Storage,
    threads: PlanningThreads,
    deadline: Deadline
) extends (Seq[PartOfFile] => Unit) {
  import PrefetchParts._

  /** @throws InterruptedException if the query is cancelled */
  override def apply(parts: Seq[PartOfFile]): Unit = {
    val missing = parts.filter { part =>
      isPlausible(part) && !storage.parts.contains(part.file, part.offset, part.length)
    }
    // One part is read by whoever needs it.
    if (missing.lengthIs > 1 && deadline.hasTimeLeft()) {
      val reading = joined(PartOfFile.within(FileParts.MostAvailable / 2, missing)).map(part =>
        threads.submit[Unit](() => storage.fetch(part))
      )
      try reading.foreach { part =>
          try part.get(deadline.timeLeft.toNanos.max(0L), NANOSECONDS)
          catch { case _: ExecutionException | _: TimeoutException => () }
        }
      finally reading.foreach(_.cancel(true): Unit)
    }
  }

  /** A footer may contain any numbers. */
  private def isPlausible(part: PartOfFile): Boolean =
    part.offset >= 0 && part.length > 0 && part.length <= LargestPart &&
      part.offset <= part.file.getLen - part.length

  private def joined(parts: Seq[PartOfFile]): Seq[PartOfFile] =
    parts.groupBy(_.file.getPath).values.toSeq.flatMap { ofFile =>
      ofFile.sortBy(_.offset).foldLeft(Vector.empty[PartOfFile]) {
        case (done :+ last, next)
            if next.offset - last.end <= LargestGap && next.end - last.offset <= LargestPart =>
          done :+ last.copy(length = last.end.max(next.end) - last.offset)
        case (done, next) => done :+ next
      }
    }
}

private object PrefetchParts {

  /** The largest gap in bytes that is read between two parts, instead of a separate request. */
  private val LargestGap = 64L * 1024

  /** The maximum bytes of one request. */
  private val LargestPart = 4L * 1024 * 1024
}
