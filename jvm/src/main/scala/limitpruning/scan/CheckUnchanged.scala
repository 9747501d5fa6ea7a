package limitpruning.scan

import java.io.{Closeable, FileNotFoundException, IOException}
import java.util.concurrent.{ExecutionException, FutureTask}

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.{ExceptionFailure, SparkException, TaskKilledException}
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile

import limitpruning.footers.FactsCache
import limitpruning.parquet.{FooterReader, Interrupted}
import limitpruning.select.FileVersion

/**
 * Checks that a file is still the file that was planned, by its length and by the checksums of its footer and
 * of the other parts that proofs rely on. The check can be repeated. Not thread-safe, except that a
 * [[RunningCheck]] may use it beside the thread that reads.
 *
 * @param isTolerant whether Spark may skip the file if it cannot be read. Then an error of reading stays as it is, and an
 *   error of the check is one that Spark does not ignore.
 */
private[scan] final class CheckUnchanged(
    file: PartitionedFile,
    version: FileVersion,
    conf: Configuration,
    isTolerant: Boolean = false
) {
  private val path = file.toPath
  private val fileSystem = path.getFileSystem(conf)
  private var timeFound: Option[Long] = None

  /** @throws FileChangedException if it is another file, or has been modified */
  def now(): Unit =
    try compare()
    catch {
      // The file could be opened. Spark must not skip its rows because it could not be checked.
      case error: IOException if isTolerant && !error.isInstanceOf[FileNotFoundException] =>
        throw new NotIgnoredException(error)
    }

  private def compare(): Unit = {
    val status = ofPlannedLength()
    timeFound = Some(status.getModificationTime)
    new FooterReader(conf).firstChange(status, version).foreach(changed)
  }

  private def ofPlannedLength(): FileStatus = {
    val status = fileSystem.getFileStatus(path)
    if (status.getLen != version.length)
      changed(s"it has ${status.getLen} bytes instead of ${version.length}")
    status
  }

  /**
   * Checks a file again after it was found unchanged and opened. On most storages, the content of an open
   * file does not change. On local file systems, however, a file can be modified while it is open, and
   * vectored reads open its path again. The footer is not read again. Both modification times
   * come from a status of the single file, so they have the same precision.
   *
   * Not if Spark may skip the file: no row of it is counted on, and the filters stay in the plan.
   */
  def whileOpen(): Unit = if (isLocal && !isTolerant)
    try {
      val time = ofPlannedLength().getModificationTime
      if (timeFound.exists(_ != time)) changed("it was modified while it was read")
    } catch { case _: FileNotFoundException => changed("it was deleted while it was read") }

  /**
   * Opens a file, and then checks it. A replacement just before opening is therefore detected, too. On other storage
   * than a local file system, a thread of its own checks the file while the task reads the first rows, because the check
   * waits for two requests.
   *
   * @param open opens the file; its result is closed if the file is another one
   * @param choose the rows to return of these; it must not read any of them yet
   * @return the chosen rows, none of which is returned before the check has ended
   */
  def opening(open: => Iterator[Any])(choose: Iterator[Any] => Iterator[Any]): Iterator[Any] = {
    val rows = orElse(open)
    try
      if (isLocal) {
        now()
        choose(rows)
      } else {
        val chosen = choose(rows)
        new RowsAfterCheck(chosen, new RunningCheck(this))
      }
    catch {
      case error: Throwable =>
        CloseRows(rows) // no other code can close them yet
        throw error
    }
  }

  private def isLocal: Boolean = fileSystem.getUri.getScheme == "file"

  /** If `body` fails and the file has changed, the error is a [[FileChangedException]]. Not if Spark may skip the file. */
  def orElse[T](body: => T): T =
    try body
    catch {
      // The task of an interrupted read must end at once.
      case NonFatal(error) if !isTolerant && !RunningCheck.isInterrupted(error) =>
        now()
        throw error
    }

  private def changed(problem: String): Nothing = {
    val error = new FileChangedException(file.urlEncodedPath, problem)
    throw if (isTolerant) new NotIgnoredException(error) else error
  }
}

/**
 * An error about a file that Spark does not ignore. With `ignoreCorruptFiles`, Spark ignores all instances of
 * RuntimeException and IOException, but rows of another file than the planned one are not what the user has chosen to
 * ignore. [[ReportFileChanges]] throws the cause.
 */
private[scan] final class NotIgnoredException(cause: IOException) extends Exception(cause)

/** A check that runs on a thread of its own, which ends with it. */
private final class RunningCheck(check: CheckUnchanged) {
  private val task = new FutureTask[Unit](() => check.now())
  private val thread = new Thread(task, "limit-pruning-check")
  thread.setDaemon(true)
  thread.start()

  /**
   * Waits for the end of the check.
   *
   * @throws FileChangedException if the file is another one
   * @throws InterruptedException if the task is killed; the check ends then, too
   */
  def await(): Unit =
    try task.get()
    catch {
      case failed: ExecutionException => throw failed.getCause
      case interrupted: InterruptedException =>
        cancel()
        throw interrupted
    }

  /** Why reading failed: that the file is another one, if the check finds this, else the error itself. */
  def reasonOf(error: Throwable): Throwable =
    if (RunningCheck.isInterrupted(error)) {
      cancel() // the task was killed: it must end at once
      error
    } else
      try {
        await()
        error
      } catch {
        case changed @ (_: FileChangedException | _: NotIgnoredException) => changed
        case NonFatal(other) =>
          error.addSuppressed(other)
          error
      }

  /** Ends the check. Nothing waits for it: its thread only reads. */
  def cancel(): Unit = {
    val _ = task.cancel(true)
  }
}

private[scan] object RunningCheck {

  /** Whether the task was killed, so that it must end at once. */
  def isInterrupted(error: Throwable): Boolean =
    Thread.currentThread.isInterrupted || Causes(error).exists {
      case failed: IOException => Interrupted.unapply(failed).nonEmpty
      case other => other.isInstanceOf[TaskKilledException] || other.isInstanceOf[InterruptedException]
    }
}

/** An error and its causes, the outermost first. Errors can be in a cycle, so the number is limited. */
private object Causes {
  def apply(error: Throwable): Iterator[Throwable] =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(20)
}

/** Returns rows, or batches, of a file. Reads the first of them while the file is checked, and returns it afterwards. */
private final class RowsAfterCheck(rows: Iterator[Any], check: RunningCheck)
    extends Iterator[Any]
    with Closeable {
  private var isChecked = false

  override def hasNext: Boolean = afterCheck(rows.hasNext)

  override def next(): Any = afterCheck(rows.next())

  private def afterCheck[T](read: => T): T =
    if (isChecked) read
    else {
      val result =
        try read
        catch { case NonFatal(error) => throw check.reasonOf(error) }
      check.await()
      isChecked = true
      result
    }

  override def close(): Unit = {
    check.cancel()
    CloseRows(rows)
  }
}

/**
 * Empties the cache of footers when a task has found that a file was replaced. The query can then be
 * repeated. All files are removed, not only this one: files are rarely replaced alone. If the storage shows
 * the same length and time, each of the others would make another query fail.
 */
final class ForgetChangedFiles(cache: FactsCache) extends SparkListener {

  override def onTaskEnd(end: SparkListenerTaskEnd): Unit = end.reason match {
    case failure: ExceptionFailure =>
      if (failure.exception.exists(Causes(_).exists(_.isInstanceOf[FileChangedException]))) cache.forgetAll()
    case _ => ()
  }
}

/**
 * Returns a task's rows. If Spark wraps a [[FileChangedException]] into an error that only says that a file
 * could not be read, it throws the [[FileChangedException]] itself.
 */
private[scan] final class ReportFileChanges(rows: Iterator[Any]) extends Iterator[Any] {
  override def hasNext: Boolean =
    try rows.hasNext
    catch {
      case error: NotIgnoredException => throw error.getCause
      case error: SparkException =>
        throw error.getCause match {
          case changed: FileChangedException => changed
          case notIgnored: NotIgnoredException => notIgnored.getCause
          case _ => error
        }
    }

  override def next(): Any = rows.next()
}

private[scan] object ReportFileChanges {

  /** @param rows rows, or batches, which Spark also types as rows */
  def in(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    new ReportFileChanges(rows).asInstanceOf[Iterator[InternalRow]]
}
