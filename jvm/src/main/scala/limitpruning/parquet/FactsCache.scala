package limitpruning.parquet

import java.util.concurrent.atomic.LongAdder

import scala.jdk.CollectionConverters._

import com.google.common.cache.{CacheBuilder, Weigher}
import com.google.common.collect.Interners
import org.apache.hadoop.fs.{EtagSource, FileStatus, Path}
import org.apache.parquet.schema.MessageType

/**
 * Keeps what was read of files while planning, for all sessions of an application: footers, and the pieces that hold
 * dictionaries, bloom filters and page indexes. A file is known by its path, its length, its modification time and,
 * where the storage has one, its entity tag. Bounded by bytes, least recently used first. Thread-safe.
 *
 * @param maxBytes of memory that is used, about; 0 keeps nothing
 */
final class FactsCache(maxBytes: Long) {
  import FactsCache._

  private val kept = CacheBuilder
    .newBuilder()
    .concurrencyLevel(1) // else no entry could be larger than a fraction of the whole
    .maximumWeight(maxBytes)
    .weigher(sizeOf)
    .build[Key, Entry]()
  private val schemas = Interners.newWeakInterner[MessageType]()
  private val hitCount, missCount = new LongAdder

  /** Footers that were found here, and that were not, since the application started. */
  def hits: Long = hitCount.sum
  def misses: Long = missCount.sum

  /** Bytes of memory that are used, about. */
  def size: Long = kept.asMap.asScala.iterator.map { case (key, entry) =>
    sizeOf.weigh(key, entry).toLong
  }.sum

  /** The footer of a file, if it is here and tells of these columns. */
  def footer(file: FileStatus, columns: FileColumns): Option[Footer] = {
    val found = known(file).filter(_.columns.covers(columns))
    (if (found.isEmpty) missCount else hitCount).increment()
    found
  }

  /** What has to be read of a file so that nothing that is here is lost. */
  def widened(file: FileStatus, columns: FileColumns): FileColumns =
    known(file).fold(columns)(_.columns ++ columns)

  /** @return the footer as it is kept */
  def keep(file: FileStatus, footer: Footer): Footer = {
    val shared = footer.sharing(schemas.intern)
    kept.put(FooterOf(FileId.of(file)), FooterEntry(shared))
    shared
  }

  /** A piece of a file, which is read only where it is not here. */
  def piece(file: FileStatus, from: Long, size: Long)(read: => Array[Byte]): Array[Byte] = {
    val key = PieceOf(FileId.of(file), from, size)
    kept.getIfPresent(key) match {
      case PieceEntry(bytes) => bytes
      case _ =>
        val bytes = read
        kept.put(key, PieceEntry(bytes))
        bytes
    }
  }

  def forgetAll(): Unit = kept.invalidateAll()

  /** Forgets a file, or every file below a directory. */
  def forget(path: Path): Unit = {
    val root = path.toString
    val below = if (root.endsWith(Path.SEPARATOR)) root else root + Path.SEPARATOR
    val _ = kept.asMap.keySet.removeIf(key => key.file.path == root || key.file.path.startsWith(below))
  }

  private def known(file: FileStatus): Option[Footer] =
    kept.getIfPresent(FooterOf(FileId.of(file))) match {
      case FooterEntry(footer) => Some(footer)
      case _ => None
    }
}

object FactsCache {

  /** Keeps nothing. */
  def none: FactsCache = new FactsCache(0)

  private final case class FileId(path: String, length: Long, modificationTime: Long, tag: String)

  private object FileId {
    def of(file: FileStatus): FileId = {
      val tag = file match {
        case tagged: EtagSource => Option(tagged.getEtag).getOrElse("")
        case _ => ""
      }
      FileId(file.getPath.toString, file.getLen, file.getModificationTime, tag)
    }
  }

  private sealed trait Key { def file: FileId }
  private final case class FooterOf(file: FileId) extends Key
  private final case class PieceOf(file: FileId, from: Long, size: Long) extends Key

  private sealed trait Entry
  private final case class FooterEntry(footer: Footer) extends Entry
  private final case class PieceEntry(bytes: Array[Byte]) extends Entry

  /** Keys and the cache's own book-keeping. */
  private val EntrySize = 200

  private val sizeOf: Weigher[Key, Entry] = (key, entry) => {
    val value = entry match {
      case FooterEntry(footer) => footer.size
      case PieceEntry(bytes) => bytes.length
    }
    EntrySize + 2 * key.file.path.length + value
  }
}
