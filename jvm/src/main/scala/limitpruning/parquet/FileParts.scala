package limitpruning.parquet

import java.util.zip.CRC32C

import scala.collection.mutable

import org.apache.hadoop.fs.FileStatus

import limitpruning.select.FilePart

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
