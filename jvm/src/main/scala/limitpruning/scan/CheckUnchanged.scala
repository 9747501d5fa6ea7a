package limitpruning.scan

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.execution.datasources.PartitionedFile

import limitpruning.parquet.{FooterReader, FooterSeal}
import limitpruning.select.FileVersion

/** Makes sure, as often as it is asked, that a file is still the one whose footer was read. */
private[scan] final class CheckUnchanged(file: PartitionedFile, version: FileVersion, conf: Configuration) {
  private val path = file.toPath
  private val fileSystem = path.getFileSystem(conf)

  /** @throws FileChangedException where it is another file, or has been written to */
  def now(): Unit = {
    val status = unwritten()
    // Times are as coarse as a second on some storage, and can be set; what was proved rests on the footer.
    val seal = FooterSeal(version.footerLength, version.footerChecksum)
    if (!new FooterReader(conf).hasSeal(status, seal)) changed("it has another footer")
  }

  private def unwritten(): FileStatus = {
    val status = fileSystem.getFileStatus(path)
    if (status.getLen != version.length)
      changed(s"it has ${status.getLen} bytes instead of ${version.length}")
    if (status.getModificationTime != version.modificationTime)
      changed("it was written to after it had been listed")
    status
  }

  /**
   * Checks a file that was found unchanged after it had been opened. There is no need to where what is open stays what
   * it is; but on local file systems it can be written to, and vectored reads open its path anew. Its footer is not
   * read again: where times are as fine as there, they tell.
   */
  def whileOpen(): Unit = if (fileSystem.getUri.getScheme == "file")
    try { val _ = unwritten() }
    catch { case _: FileNotFoundException => changed("it was deleted while it was read") }

  /** Where `body` fails on a file that has changed, the error is that. */
  def orElse[T](body: => T): T =
    try body
    catch { case NonFatal(error) => now(); throw error }

  private def changed(problem: String): Nothing = throw new FileChangedException(file.urlEncodedPath, problem)
}
