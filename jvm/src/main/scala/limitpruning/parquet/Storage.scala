package limitpruning.parquet

import java.io.{IOException, InterruptedIOException}
import java.nio.channels.ClosedByInterruptException
import java.util.concurrent.atomic.LongAdder

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{EtagSource, FileStatus}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream

/**
 * How one search accesses files.
 *
 * @param hadoopConf the Hadoop configuration of the relation that is read. It is made at the first access: many searches find
 *   all metadata in the cache.
 * @param parts the parts of files, besides footers, that the search has read
 */
final class Storage(hadoopConf: => Configuration, val parts: FileParts) {
  lazy val conf: Configuration = hadoopConf
  private val openedCount = new LongAdder

  /** How often a file was opened. */
  def opened: Long = openedCount.sum

  /** Opens a file. Thread-safe. */
  def open(file: FileStatus): SeekableInputStream = {
    openedCount.increment()
    HadoopInputFile.fromStatus(file, conf).newStream()
  }

  /**
   * Reads bytes of a file, with a stream of its own, and makes them available in [[parts]]. Thread-safe.
   *
   * @throws IOException if they cannot be read
   */
  def fetch(part: PartOfFile): Unit = {
    val in = open(part.file)
    try parts.add(part.file, part.offset, Storage.readAt(in, part.offset, part.length))
    finally in.close()
  }
}

/** A range of bytes of a file. */
final case class PartOfFile(file: FileStatus, offset: Long, length: Long) {
  def end: Long = offset + length
}

object PartOfFile {

  /** The first parts, as long as they have at most `bytes` bytes together. */
  def within(bytes: Long, parts: Seq[PartOfFile]): Seq[PartOfFile] = {
    val totals = parts.iterator.map(_.length).scanLeft(0L)(_ + _).drop(1)
    parts.zip(totals.toVector).takeWhile(_._2 <= bytes).map(_._1)
  }
}

object Storage {
  def apply(conf: => Configuration): Storage = new Storage(conf, new FileParts)

  /** Reads `length` bytes from an offset. */
  private[parquet] def readAt(in: SeekableInputStream, offset: Long, length: Long): Array[Byte] = {
    val bytes = new Array[Byte](Math.toIntExact(length))
    in.seek(offset)
    in.readFully(bytes)
    bytes
  }
}

/**
 * Identifies a file of a listing, to find it in the cache. The time is only a hint: a file whose content was
 * replaced in place may have the same time. The scan checks the footer and the content of the files that it
 * reads; see [[limitpruning.select.FileVersion]].
 *
 * @param tag the entity tag, if the storage has one
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
 * Matches the exceptions of a read whose thread was interrupted, for example because a query was cancelled.
 * Returns the interruption, which must not be treated as a fault of the file.
 */
private[limitpruning] object Interrupted {
  def unapply(error: IOException): Option[InterruptedException] = error match {
    case _: ClosedByInterruptException => Some(interruption(error))
    // Its subclasses are timeouts.
    case _ if error.getClass == classOf[InterruptedIOException] => Some(interruption(error))
    case _ => None
  }

  private def interruption(error: IOException): InterruptedException = {
    val interruption = new InterruptedException(s"interrupted while planning a LIMIT: ${error.getMessage}")
    interruption.initCause(error)
    interruption
  }
}
