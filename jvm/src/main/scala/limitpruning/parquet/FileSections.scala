package limitpruning.parquet

import java.io.{ByteArrayInputStream, Closeable, InputStream}
import java.util.zip.CRC32C

import scala.collection.mutable

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream

import limitpruning.select.FilePart

/**
 * A header and the body that follows it.
 *
 * @param size bytes of the two together
 */
private[parquet] final case class Section[H](header: H, body: Array[Byte], size: Long)

/**
 * Reads parts of a file within bounds, with one request each where it can, unless this search has them. Opens the file
 * once. Not thread-safe.
 */
private[parquet] final class FileSections(file: FileStatus, storage: Storage) extends Closeable {
  import FileSections._

  private var stream: Option[SeekableInputStream] = None
  private var requested = 0L

  /** Bytes asked for so far, whether they came or not, and wherever from. */
  def bytesRead: Long = requested

  /**
   * Reads a section, or none where it is larger than it should be; throws where it cannot be read.
   *
   * @param from its first byte
   * @param known its size, which it may not exceed, none where the footer does not tell
   * @param maxBytes of the body
   */
  def read[H](from: Long, known: Option[Long], maxBytes: Long)(
      parse: InputStream => H
  )(bodySize: H => Long): Option[Section[H]] = {
    val limit = maxBytes.min(Int.MaxValue.toLong) + HeaderBytes
    if (maxBytes <= 0 || known.exists(_ > limit)) None
    else {
      val first = readAt(from, known.getOrElse(FirstRead.min(limit).min(end - from)))
      val in = new ByteArrayInputStream(first)
      val header = parse(in)
      val start = first.length - in.available
      val size = start + bodySize(header)
      if (size < start || size - start > maxBytes || size > known.getOrElse(limit)) None
      else {
        val missing = size - first.length
        val bytes = if (missing > 0) first ++ readAt(from + first.length, missing) else first
        Some(Section(header, bytes.slice(start, size.toInt), size))
      }
    }
  }

  /** Reads a part of known size; throws where it cannot be read. */
  def bytes(from: Long, size: Long): Array[Byte] = readAt(from, size)

  override def close(): Unit = {
    stream.foreach(_.close())
    stream = None
  }

  /** The last eight bytes of a file are its footer's. */
  private def end: Long = file.getLen - 8

  private def readAt(from: Long, size: Long): Array[Byte] = {
    require(from >= 0 && size > 0 && size <= end - from, s"$size bytes at $from are not in ${file.getPath}")
    requested += size
    storage.parts(file, from, size) {
      val bytes = new Array[Byte](Math.toIntExact(size))
      val in = stream.getOrElse {
        val opened = HadoopInputFile.fromStatus(file, storage.conf).newStream()
        stream = Some(opened)
        opened
      }
      in.seek(from)
      in.readFully(bytes)
      bytes
    }
  }
}

private object FileSections {

  /** Read at once where the size is not known: the header, and with luck all of it. */
  private val FirstRead = 4096L

  /** More than any header takes. */
  private val HeaderBytes = 128L
}

/**
 * The parts of files that one search has read beside footers: dictionaries, bloom filters and page indexes. Each part is
 * read once. They do not outlive the search: a file can be rewritten in place with the same footer, so these parts say
 * nothing about the file that a later query finds. Thread-safe.
 */
final class FileParts {
  private val parts = mutable.LinkedHashMap.empty[(FileId, Long, Long), Array[Byte]]

  /** @param read reads the part, where it has not been read yet */
  def apply(file: FileStatus, offset: Long, length: Long)(read: => Array[Byte]): Array[Byte] =
    synchronized(parts.getOrElseUpdate((FileId.of(file), offset, length), read))

  /** What has been read of a file so far. */
  def of(file: FileStatus): Seq[FilePart] = synchronized {
    val id = FileId.of(file)
    parts.iterator.collect { case ((`id`, offset, length), bytes) =>
      FilePart(offset, length.toInt, FileParts.checksum(bytes))
    }.toSeq
  }
}

object FileParts {
  def checksum(bytes: Array[Byte], from: Int, length: Int): Int = {
    val crc = new CRC32C
    crc.update(bytes, from, length)
    crc.getValue.toInt
  }

  def checksum(bytes: Array[Byte]): Int = checksum(bytes, 0, bytes.length)
}
