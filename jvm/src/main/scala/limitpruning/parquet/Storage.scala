package limitpruning.parquet

import java.io.{IOException, InterruptedIOException}
import java.nio.channels.ClosedByInterruptException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{EtagSource, FileStatus}

/**
 * How one search reaches files.
 *
 * @param conf the Hadoop configuration of the relation that is read
 * @param parts what it has read of them beside footers
 */
final case class Storage(conf: Configuration, parts: FileParts)

object Storage {
  def apply(conf: Configuration): Storage = Storage(conf, new FileParts)
}

/**
 * By what a file of a listing is taken for one that was read before. The time is a hint: a file whose content was replaced
 * in place may have the same. What a scan reads is checked by footer and content; see [[limitpruning.select.FileVersion]].
 *
 * @param tag the entity tag, where the storage has one
 */
private[limitpruning] final case class FileId(path: String, length: Long, modificationTime: Long, tag: String)

private[limitpruning] object FileId {
  def of(file: FileStatus): FileId = {
    val tag = file match {
      case tagged: EtagSource => Option(tagged.getEtag).getOrElse("")
      case _ => ""
    }
    FileId(file.getPath.toString, file.getLen, file.getModificationTime, tag)
  }
}

/**
 * Matches what a read fails with because its thread was interrupted, as when a query is cancelled, and gives the
 * interruption, which must not be taken for a fault of the file.
 */
private[parquet] object Interrupted {
  def unapply(error: IOException): Option[InterruptedException] = error match {
    case _: ClosedByInterruptException => Some(interruption(error))
    // Classes derived from it are those of timeouts.
    case _ if error.getClass == classOf[InterruptedIOException] => Some(interruption(error))
    case _ => None
  }

  private def interruption(error: IOException): InterruptedException = {
    val interruption = new InterruptedException(s"interrupted while planning a LIMIT: ${error.getMessage}")
    interruption.initCause(error)
    interruption
  }
}
