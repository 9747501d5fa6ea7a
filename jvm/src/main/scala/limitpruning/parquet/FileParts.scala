package limitpruning.parquet

import java.util.zip.CRC32C

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

  /** The parts that the search has used, by file, offset and length. */
  private val used = mutable.LinkedHashMap.empty[(FileId, Long, Long), Array[Byte]]

  /** Bytes that are available without a request, by file. The search may not use all of them. */
  private val available = mutable.LinkedHashMap.empty[FileId, Vector[Available]]
  private var availableBytes = 0L

  /** @param read reads the part if its bytes are not available */
  def apply(file: FileStatus, offset: Long, length: Long)(read: => Array[Byte]): Array[Byte] = {
    val key = (FileId.of(file), offset, length)
    synchronized(used.get(key).orElse(slice(key))).getOrElse {
      val bytes = read // not in the lock, because other parts are read at the same time
      synchronized(used.getOrElseUpdate(key, bytes))
    }
  }

  /** Whether a part can be used without a request. */
  def contains(file: FileStatus, offset: Long, length: Long): Boolean = synchronized {
    val id = FileId.of(file)
    used.contains((id, offset, length)) || holder(id, offset, length).nonEmpty
  }

  /**
   * Makes bytes of a file available. If there are too many bytes, those of other files are dropped, the
   * oldest first.
   *
   * @param offset the position of the first byte in the file
   */
  def add(file: FileStatus, offset: Long, bytes: Array[Byte]): Unit = synchronized {
    val id = FileId.of(file)
    available(id) = available.getOrElse(id, Vector.empty) :+ Available(offset, bytes)
    availableBytes += bytes.length
    val others = available.keysIterator.filter(_ != id).toVector.iterator
    while (availableBytes > MostAvailable && others.hasNext)
      for (dropped <- available.remove(others.next()))
        availableBytes -= dropped.iterator.map(_.bytes.length.toLong).sum
  }

  /** The parts of a file that the search has used so far. */
  def of(file: FileStatus): Seq[FilePart] = synchronized {
    val id = FileId.of(file)
    used.iterator.collect { case ((`id`, offset, length), bytes) =>
      FilePart(offset, length.toInt, FileParts.checksum(bytes))
    }.toSeq
  }

  private def slice(key: (FileId, Long, Long)): Option[Array[Byte]] = {
    val (id, offset, length) = key
    holder(id, offset, length).map { found =>
      val from = (offset - found.offset).toInt
      val bytes = found.bytes.slice(from, from + length.toInt)
      used(key) = bytes
      bytes
    }
  }

  private def holder(id: FileId, offset: Long, length: Long): Option[Available] =
    available.getOrElse(id, Vector.empty).find(_.contains(offset, length))
}

object FileParts {

  /** The most bytes of files that are available without being used. */
  private val MostAvailable = 8L * 1024 * 1024

  private final case class Available(offset: Long, bytes: Array[Byte]) {
    def contains(from: Long, length: Long): Boolean =
      from >= offset && length >= 0 && length <= bytes.length && from - offset <= bytes.length - length
  }

  def checksum(bytes: Array[Byte], from: Int, length: Int): Int = {
    val crc = new CRC32C
    crc.update(bytes, from, length)
    crc.getValue.toInt
  }

  def checksum(bytes: Array[Byte]): Int = checksum(bytes, 0, bytes.length)
}
