package limitpruning.scan

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.execution.datasources.PartitionedFile

import limitpruning.parquet.FooterReader
import limitpruning.select.FileVersion

/**
 * Checks that a file is still the file that was planned, by its length and by the checksums of its footer and
 * of the other parts that proofs rely on. The check can be repeated. Not thread-safe.
 */
private[scan] final class CheckUnchanged(file: PartitionedFile, version: FileVersion, conf: Configuration) {
  private val path = file.toPath
  private val fileSystem = path.getFileSystem(conf)
  private var timeFound: Option[Long] = None

  /** @throws FileChangedException if it is another file, or has been modified */
  def now(): Unit = {
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
   */
  def whileOpen(): Unit = if (fileSystem.getUri.getScheme == "file")
    try {
      val time = ofPlannedLength().getModificationTime
      if (timeFound.exists(_ != time)) changed("it was modified while it was read")
    } catch { case _: FileNotFoundException => changed("it was deleted while it was read") }

  /**
   * Opens a file, and then checks it. A replacement just before opening is therefore detected, too.
   *
   * @return the result of `open`, which is closed if the file is another one
   */
  def opening[T](open: => Iterator[T]): Iterator[T] = {
    val rows = orElse(open)
    try {
      now()
      rows
    } catch {
      case error: Throwable =>
        CloseRows(rows) // no other code can close them yet
        throw error
    }
  }

  /** If `body` fails and the file has changed, the error is a [[FileChangedException]]. */
  def orElse[T](body: => T): T =
    try body
    catch { case NonFatal(error) => now(); throw error }

  private def changed(problem: String): Nothing = throw new FileChangedException(file.urlEncodedPath, problem)
}
