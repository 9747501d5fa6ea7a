package limitpruning.search

import java.util.concurrent.{ExecutionException, TimeoutException}
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.concurrent.duration.Deadline
import scala.util.control.NonFatal

import org.apache.hadoop.fs.FileStatus

import limitpruning.footers.PlanningThreads
import limitpruning.parquet.{FileParts, Interrupted, PartOfFile, Storage}
import limitpruning.predicate.Work

/**
 * Reads parts of files at the same time that a search would otherwise read one after the other. Parts of a file that
 * are near each other are read with one request. A part that cannot be read, or not in time, is left out: whoever needs
 * it reads it again, and handles the error.
 *
 * Starting threads takes longer than reading from a local disk, so local files are read by the calling thread as long as
 * that is quick.
 *
 * @param deadline nothing is awaited after it
 * @param nanos the time, for the duration of local reads
 */
private[limitpruning] final class PrefetchParts(
    storage: Storage,
    threads: PlanningThreads,
    deadline: Deadline,
    nanos: () => Long = () => System.nanoTime()
) extends (Seq[PartOfFile] => Unit) {
  import PrefetchParts._

  /** @throws InterruptedException if the query is cancelled */
  override def apply(parts: Seq[PartOfFile]): Unit = {
    val missing = parts.filter { part =>
      isPlausible(part) && !storage.parts.contains(part.file, part.offset, part.length)
    }
    // One part is read by whoever needs it.
    if (missing.size > 1 && deadline.hasTimeLeft()) {
      val (local, remote) =
        joined(PartOfFile.within(FileParts.MostAvailable / 2, missing)).partition(part => isLocal(part.file))
      atTheSameTime(remote ++ local.drop(oneByOne(local)))
    }
  }

  /** @return how many were read, or cannot be read, until one took long */
  private def oneByOne(parts: Seq[PartOfFile]): Int = {
    var done = 0
    var isQuick = true
    while (isQuick && done < parts.size && deadline.hasTimeLeft()) {
      Work.checkInterrupted()
      val started = nanos()
      try storage.fetch(parts(done))
      catch {
        case Interrupted(interruption) => throw interruption
        case NonFatal(_) => ()
      }
      isQuick = nanos() - started < LongestQuickRead
      done += 1
    }
    done
  }

  private def atTheSameTime(parts: Seq[PartOfFile]): Unit = {
    val reading = parts.map(part => threads.submit[Unit](() => storage.fetch(part)))
    try reading.foreach { part =>
        try part.get(deadline.timeLeft.toNanos.max(0L), NANOSECONDS)
        catch { case _: ExecutionException | _: TimeoutException => () }
      }
    finally reading.foreach(_.cancel(true): Unit)
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

private[search] object PrefetchParts {

  /** Whether a request to the file takes little time. */
  def isLocal(file: FileStatus): Boolean = file.getPath.toUri.getScheme == "file"

  /** After a local read that takes as many nanoseconds, threads read the others. */
  private val LongestQuickRead = 1000L * 1000

  /** The largest gap in bytes that is read between two parts, instead of a separate request. */
  private val LargestGap = 64L * 1024

  /** The maximum bytes of one request. */
  private val LargestPart = 4L * 1024 * 1024
}

/**
 * Prefetches metadata of the row groups that a search inspects next. It begins with a few row groups, because the first
 * ones show whether inspecting pays, and then doubles their number. One instance per search; not thread-safe.
 *
 * @param prefetch reads parts of files at the same time
 * @param first the number of row groups whose parts are prefetched first
 */
private[search] final class ReadAhead(prefetch: Seq[PartOfFile] => Unit, first: Int = ReadAhead.First) {
  import ReadAhead._

  private var announced: () => Seq[RowGroup] = () => Nil
  private var found = Option.empty[IndexedSeq[RowGroup]]
  private val values, pages = new Batches

  /**
   * Announces the row groups that are inspected next.
   *
   * @param rowGroups finds them, in this order. There may be thousands, and often nothing is prefetched.
   */
  def expect(rowGroups: () => Seq[RowGroup]): Unit = {
    announced = rowGroups
    found = None
    values.restart()
    pages.restart()
  }

  private def expected: IndexedSeq[RowGroup] = {
    if (found.isEmpty) found = Some(announced().toIndexedSeq)
    found.get
  }

  /** Prefetches the dictionaries and bloom filters of a row group and of those that are expected after it. */
  def values(file: ClassifiedFile, ordinal: Int)(parts: (ClassifiedFile, Int) => Seq[PartOfFile]): Unit =
    values.next(file, ordinal)(parts)

  /** Prefetches the pages' statistics of a row group and of those that are expected after it. */
  def pages(file: ClassifiedFile, ordinal: Int)(parts: (ClassifiedFile, Int) => Seq[PartOfFile]): Unit =
    pages.next(file, ordinal)(parts)

  private final class Batches {
    private var current = 0 // the row group that was inspected last
    private var end = 0 // of the row groups whose parts are prefetched
    private var size = first

    def restart(): Unit = {
      current = 0
      end = 0
    }

    def next(file: ClassifiedFile, ordinal: Int)(parts: (ClassifiedFile, Int) => Seq[PartOfFile]): Unit = {
      val position =
        expected.indexWhere(
          rowGroup => (rowGroup._1.listed eq file.listed) && rowGroup._2 == ordinal,
          current
        )
      if (position >= 0) current = position
      if (position >= end) {
        end = (position + size).min(expected.size)
        size = (2 * size).min(Most)
        prefetch(expected.slice(position, end).flatMap { case (file, ordinal) => parts(file, ordinal) })
      }
    }
  }
}

private[search] object ReadAhead {
  private type RowGroup = (ClassifiedFile, Int)

  /** The number of row groups whose parts are prefetched first, if the scan reads the whole table. */
  val First = 4

  /** The maximum number of row groups whose parts are prefetched at the same time. */
  private val Most = 32
}
