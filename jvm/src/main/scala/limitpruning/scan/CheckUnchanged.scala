package limitpruning.scan

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.execution.datasources.PartitionedFile

import limitpruning.parquet.FooterReader
import limitpruning.select.FileVersion

/**
 * Makes sure, as often as it is called, that a file is still the one that was planned: by its length, and the checksums of
 * its footer and of the other parts on which proofs rest. Not thread-safe.
 */
private[scan] final class CheckUnchanged(file: PartitionedFile, version: FileVersion, conf: Configuration) {
  private val path = file.toPath
  private val fileSystem = path.getFileSystem(conf)
  private var timeFound: Option[Long] = None

  /** @throws FileChangedException where it is another file, or has been written to */
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
   * Checks a file that was found unchanged after it had been opened. There is no need to where what is open stays what
   * it is; but on local file systems it can be written to, and vectored reads open its path anew. Its footer is not
   * read again: the time is that of the same call before, and as fine as these file systems have it.
   */
  def whileOpen(): Unit = if (fileSystem.getUri.getScheme == "file")
    try {
      val time = ofPlannedLength().getModificationTime
      if (timeFound.exists(_ != time)) changed("it was written to while it was read")
    } catch { case _: FileNotFoundException => changed("it was deleted while it was read") }

  /**
   * Opens a file, and checks it only then, so that one that is replaced at the last moment is found out, too.
   *
   * @return what `open` gives, closed where the file is another one
   */
  def opening[T](open: => Iterator[T]): Iterator[T] = {
    val rows = orElse(open)
    try {
      now()
      rows
    } catch {
      case error: Throwable =>
        CloseRows(rows) // nobody else knows of it yet
        throw error
    }
  }

  /** Where `body` fails on a file that has changed, the error is that. */
  def orElse[T](body: => T): T =
    try body
    catch { case NonFatal(error) => now(); throw error }

  private def changed(problem: String): Nothing = throw new FileChangedException(file.urlEncodedPath, problem)
}
