package limitpruning.footers

import java.util.concurrent.atomic.LongAdder

import scala.jdk.CollectionConverters._

import com.google.common.cache.{CacheBuilder, Weigher}
import com.google.common.collect.Interners
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.schema.MessageType

import limitpruning.parquet.{FileColumns, FileId, Footer}

/**
 * Caches footers that were read while planning, for all sessions of an application. A file is known by its path, its
 * length, its modification time and, where the storage has one, its entity tag. Bounded by bytes, least recently used
 * first. Thread-safe.
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
    .build[FileId, Footer]()
  private val schemas = Interners.newWeakInterner[MessageType]()
  private val hitCount, missCount = new LongAdder

  /** Footers that were found here, and that were not, since the application started. */
  def hits: Long = hitCount.sum
  def misses: Long = missCount.sum

  /** Bytes of memory that are used, about. */
  def size: Long = kept.asMap.asScala.iterator.map { case (file, footer) =>
    sizeOf.weigh(file, footer).toLong
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
    kept.put(FileId.of(file), shared)
    shared
  }

  def forgetAll(): Unit = kept.invalidateAll()

  /** Forgets a file, or every file below a directory. */
  def forget(path: Path): Unit = {
    val root = path.toString
    val below = if (root.endsWith(Path.SEPARATOR)) root else root + Path.SEPARATOR
    val _ = kept.asMap.keySet.removeIf(file => file.path == root || file.path.startsWith(below))
  }

  private def known(file: FileStatus): Option[Footer] = Option(kept.getIfPresent(FileId.of(file)))
}

object FactsCache {

  /** Keeps nothing. */
  def none: FactsCache = new FactsCache(0)

  /** Keys and the cache's own book-keeping. */
  private val EntrySize = 200

  private val sizeOf: Weigher[FileId, Footer] =
    (file, footer) => EntrySize + 2 * file.path.length + footer.size
}
