package limitpruning.footers

import scala.jdk.CollectionConverters._

import com.google.common.cache.{CacheBuilder, Weigher}
import com.google.common.collect.Interners
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.schema.MessageType

import limitpruning.parquet.{ColumnPaths, FileColumns, FileId, Footer}

/**
 * Caches footers, manifests and parts of Delta logs that were read while planning, for all sessions of an application. A file is
 * identified by its path, its length, its modification time and, if the storage has one, its entity tag. A manifest never changes,
 * so its path and its length identify it. The cache is limited in bytes, and evicts the least recently used entries first.
 * Thread-safe.
 *
 * @param maxBytes the approximate maximum of memory, in bytes; with 0, nothing is cached
 */
final class FactsCache(maxBytes: Long) {
  import FactsCache._

  /** Whether anything is cached. */
  def isOn: Boolean = maxBytes > 0

  /** The maximum memory of all files of one table, in bytes. Footers need the rest. */
  val mostOfTable: Long = maxBytes / 4 * 3

  private val cached = CacheBuilder
    .newBuilder()
    .concurrencyLevel(1) // otherwise no entry could be larger than a fraction of the whole
    .maximumWeight(maxBytes)
    .weigher(sizeOf)
    .build[AnyRef, AnyRef]()

  /** The predicates about which metadata besides footers proved something or nothing. */
  val unproved: UnprovedForms = new UnprovedForms(if (maxBytes == 0) 0 else MostUnproved)

  /** The predicates and keys for which samples of row groups had enough groups, or too few. */
  val unprovedSamples: UnprovedForms = new UnprovedForms(if (maxBytes == 0) 0 else MostUnproved)

  /** How many rows satisfied predicates that searches have evaluated. */
  val selectivity: LearnedSelectivity = new LearnedSelectivity(if (maxBytes == 0) 0 else MostSelectivities)

  /** The Spark queries of planning that were not done in time. */
  val slow: SlowQueries = new SlowQueries(if (maxBytes == 0) 0 else MostSlow)

  /** The sorted files of tables. */
  val listings: SortedListings = new SortedListings(if (maxBytes == 0) 0 else MostSorted)

  /** The memory of the searches that are under way. It is not part of the cache. */
  val planning: PlanningMemory = new PlanningMemory

  private val schemas = Interners.newWeakInterner[MessageType]()
  private val paths = Interners.newWeakInterner[ColumnPaths]()
  private val requested = Interners.newWeakInterner[FileColumns]()

  /** The approximate memory in use, in bytes. */
  def size: Long = cached.asMap.asScala.iterator.map { case (key, value) =>
    sizeOf.weigh(key, value).toLong
  }.sum

  /** The footer of a file, if it is cached with these columns. */
  def footer(file: FileStatus, columns: FileColumns): Option[Footer] =
    known(file).filter(_.columns.covers(columns))

  /**
   * The columns to read of a file: `columns` and those that are cached, so that the new footer replaces the
   * cached one without loss.
   */
  def widened(file: FileStatus, columns: FileColumns): FileColumns =
    known(file).fold(columns)(_.columns ++ columns)

  /** @return the footer as it is cached */
  def keep(file: FileStatus, footer: Footer): Footer = {
    val shared = footer.sharing(schemas.intern, paths.intern, requested.intern)
    cached.put(FileId.of(file), shared)
    shared
  }

  /** What is cached of a manifest. */
  def manifest(id: ManifestId): Option[ManifestMetrics] = Option(cached.getIfPresent(id)).collect {
    case metrics: ManifestMetrics => metrics
  }

  def keep(id: ManifestId, metrics: ManifestMetrics): Unit = cached.put(id, metrics)

  /** What is cached of a version of a log. */
  private[limitpruning] def log(id: LogPartId): Option[LogPart] =
    Option(cached.getIfPresent(id)).collect { case part: LogPart => part }

  /** Removes what is cached of earlier versions: few queries ask for them. */
  private[limitpruning] def keep(id: LogPartId, part: LogPart): Unit = {
    val _ = cached.asMap.keySet.removeIf {
      case other: LogPartId => other.table == id.table && other.version < id.version
      case _ => false
    }
    cached.put(id, part)
  }

  def forgetAll(): Unit = {
    cached.invalidateAll()
    listings.forgetAll()
    unproved.forget(_ => true)
    unprovedSamples.forget(_ => true)
    selectivity.forget(_ => true)
    slow.forget(_ => true)
  }

  /** Removes a file, or every file below a directory. */
  def forget(path: Path): Unit = {
    val root = path.toString
    val below = if (root.endsWith(Path.SEPARATOR)) root else root + Path.SEPARATOR
    forget(file => file == root || file.startsWith(below))
  }

  private def forget(isMeant: String => Boolean): Unit = {
    val _ = cached.asMap.keySet.removeIf {
      case file: FileId => isMeant(file.path)
      case log: LogPartId => isMeant(log.table)
      case _ => false
    }
    unproved.forget(isMeant)
    unprovedSamples.forget(isMeant)
    selectivity.forget(isMeant)
    slow.forget(isMeant)
  }

  private def known(file: FileStatus): Option[Footer] = Option(cached.getIfPresent(FileId.of(file))).collect {
    case footer: Footer => footer
  }
}

object FactsCache {

  /** A cache that stores nothing. */
  def none: FactsCache = new FactsCache(0)

  /** The maximum number of such predicates, each for one file, of some 300 bytes. */
  private val MostUnproved = 10000L

  /** The maximum number of such predicates, each for one table, of some 400 bytes. */
  private val MostSelectivities = 10000L

  /** The maximum number of such queries, of some 300 bytes. */
  private val MostSlow = 1000L

  /** The maximum number of files of sorted tables, of some 60 bytes. The table's index has the rest of each, while it is in use. */
  private val MostSorted = 200000L

  /** The approximate size of a key and of the cache's own data for an entry, in bytes. */
  private val EntrySize = 200

  private val sizeOf: Weigher[AnyRef, AnyRef] = {
    case (file: FileId, footer: Footer) => EntrySize + 2 * file.path.length + footer.size
    case (id: ManifestId, metrics: ManifestMetrics) => EntrySize + 2 * id.path.length + metrics.size
    case (id: LogPartId, part: LogPart) =>
      val size = part.size.toLong + EntrySize + 2 * id.table.length
      size.min(Int.MaxValue.toLong).toInt
    case (_, other) => throw new IllegalArgumentException(other.getClass.getName)
  }
}

/** Identifies a manifest. It never changes. */
final case class ManifestId(path: String, length: Long)

/** The metrics of the data files of one manifest. */
trait ManifestMetrics {

  /** The approximate memory, in bytes. */
  def size: Int
}
