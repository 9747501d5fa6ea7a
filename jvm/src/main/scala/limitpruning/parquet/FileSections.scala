package limitpruning.parquet

import java.io.{ByteArrayInputStream, Closeable, InputStream}

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.io.SeekableInputStream

/**
 * A header and the body that follows it.
 *
 * @param size total bytes of both
 */
private[parquet] final case class Section[H](header: H, body: Array[Byte], size: Long)

/**
 * Reads parts of a file up to a maximum size, with one request each if possible, unless this search has
 * already read them. Opens the file once. Not thread-safe.
 */
private[parquet] final class FileSections(file: FileStatus, storage: Storage) extends Closeable {
  import FileSections._

  private var stream: Option[SeekableInputStream] = None
  private var requested = 0L

  /** The bytes requested so far, whether or not the read succeeded, from the file or from memory. */
  def bytesRead: Long = requested

  /**
   * Reads a section. None if it is larger than allowed. Throws if it cannot be read.
   *
   * @param from its first byte
   * @param known its size, which it must not exceed; none if the footer does not contain it
   * @param maxBytes maximum size of the body
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

  /** Reads a part of known size. Throws if it cannot be read. */
  def bytes(from: Long, size: Long): Array[Byte] = readAt(from, size)

  override def close(): Unit = {
    stream.foreach(_.close())
    stream = None
  }

  /** The last eight bytes of a file belong to its footer. */
  private def end: Long = file.getLen - 8

  private def readAt(from: Long, size: Long): Array[Byte] = {
    require(
      from >= 0 && size > 0 && size <= end - from,
      s"$size bytes at offset $from are not in ${file.getPath}"
    )
    requested += size
    storage.parts(file, from, size) {
      val in = stream.getOrElse {
        val opened = storage.open(file)
        stream = Some(opened)
        opened
      }
      Storage.readAt(in, from, size)
    }
  }
}

private object FileSections {

  /** The size of the first read if the size is not known: enough for the header, and often for the body. */
  private val FirstRead = 4096L

  /** Larger than any header. */
  private val HeaderBytes = 128L
}
