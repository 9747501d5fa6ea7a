package limitpruning.parquet

import java.util.zip.CRC32

import scala.collection.mutable

import org.apache.hadoop.fs.FileStatus

import limitpruning.select.FilePart

/**
 * The parts of files, besides footers, that one search has read: dictionaries, bloom filters and page
 * indexes. Each part is read once. The parts are dropped with the search: a file can be rewritten in place
 * with the same footer, so they prove nothing about the file that a later query reads. Thread-safe.
 */
final class FileParts {
  import FileParts._

  /** The parts that the search has used, by offset and length. */
  private val used = mutable.Map.empty[FileId, mutable.LinkedHashMap[(Long, Long), Array[Byte]]]

  /** Bytes that are available without a request. The search may not use all of them. */
  private val available = mutable.Map.empty[FileId, Vector[Available]]
  private val oldest = mutable.Queue.empty[(FileId, Available)]
  private var availableBytes = 0L

  /** @param read reads the part if its bytes are not available */
  def apply(file: FileStatus, offset: Long, length: Long)(read: => Array[Byte]): Array[Byte] = {
    val id = FileId.of(file)
    synchronized(find(id, offset, length)).getOrElse {
      val bytes = read // not in the lock, because other parts are read at the same time
      synchronized(usedOf(id).getOrElseUpdate((offset, length), bytes))
    }
  }

  /** Whether a part can be used without a request. */
  def contains(file: FileStatus, offset: Long, length: Long): Boolean = synchronized {
    val id = FileId.of(file)
    used.get(id).exists(_.contains((offset, length))) || holder(id, offset, length).nonEmpty
  }

  /**
   * Makes bytes of a file available. If there are too many bytes, the oldest are dropped.
   *
   * @param offset the position of the first byte in the file
   */
  def add(file: FileStatus, offset: Long, bytes: Array[Byte]): Unit = synchronized {
    val id = FileId.of(file)
    val added = Available(offset, bytes)
    available(id) = available.getOrElse(id, Vector.empty) :+ added
    oldest += ((id, added))
    availableBytes += bytes.length
    while (availableBytes > MostAvailable && oldest.size > 1) {
      val (file, dropped) = oldest.dequeue()
      available(file) = available(file).filterNot(_ eq dropped)
      availableBytes -= dropped.bytes.length
    }
  }

  /** The parts of a file that the search has used so far. */
  def of(file: FileStatus): Seq[FilePart] = synchronized {
    used.get(FileId.of(file)).toSeq.flatMap(_.map { case ((offset, length), bytes) =>
      FilePart(offset, length.toInt, FileParts.checksum(bytes))
    })
  }

  /** Releases the memory when the search ends. */
  def clear(): Unit = synchronized {
    used.clear()
    available.clear()
    oldest.clear()
    availableBytes = 0
  }

  private def usedOf(id: FileId): mutable.LinkedHashMap[(Long, Long), Array[Byte]] =
    used.getOrElseUpdate(id, mutable.LinkedHashMap.empty)

  /** The part, if it was used before or is available. */
  private def find(id: FileId, offset: Long, length: Long): Option[Array[Byte]] =
    used.get(id).flatMap(_.get((offset, length))).orElse(holder(id, offset, length).map { found =>
      val from = (offset - found.offset).toInt
      val bytes = found.bytes.slice(from, from + length.toInt)
      usedOf(id)((offset, length)) = bytes
      bytes
    })

  private def holder(id: FileId, offset: Long, length: Long): Option[Available] =
    available.getOrElse(id, Vector.empty).find(_.contains(offset, length))
}

object FileParts {

  /** The maximum bytes of files that are available without being used. */
  private[limitpruning] val MostAvailable = 8L * 1024 * 1024

  private final case class Available(offset: Long, bytes: Array[Byte]) {
    def contains(from: Long, length: Long): Boolean =
      from >= offset && length >= 0 && length <= bytes.length && from - offset <= bytes.length - length
  }

  def checksum(bytes: Array[Byte], from: Int, length: Int): Int = {
    val crc = new CRC32
    crc.update(bytes, from, length)
    crc.getValue.toInt
  }

  def checksum(bytes: Array[Byte]): Int = checksum(bytes, 0, bytes.length)
}
