package limitpruning.tables.iceberg

import scala.collection.mutable
import scala.concurrent.duration.Deadline
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.{BatchScan, DataFile, ManifestFile, ManifestFiles, Table}

import limitpruning.footers.{FactsCache, ManifestId, ManifestMetrics}
import limitpruning.predicate.Work

/**
 * Reads the metrics of data files from the manifests of a snapshot. Iceberg plans a scan without them. A manifest is read
 * when the metrics of one of its files are needed, unless it is cached with them. Not thread-safe.
 *
 * @param fields the ids of the columns whose metrics are needed
 * @param deadline after it, no further manifest is read
 */
private final class ReadManifests(
    table: Table,
    scan: BatchScan,
    fields: Set[Int],
    cache: FactsCache,
    deadline: Deadline
) {
  import ReadManifests._

  private val read = mutable.Map.empty[String, CachedFiles]

  private lazy val manifests =
    scan.snapshot.dataManifests(table.io).asScala.map(manifest => manifest.path -> manifest).toMap

  /**
   * @return a planned file with its metrics; none if its manifest is not known, names the file twice, or cannot be read in
   *   time
   * @throws InterruptedException if the query is cancelled
   */
  def metrics(planned: DataFile): Option[DataFile] = {
    Work.checkInterrupted()
    for {
      path <- Option(planned.manifestLocation)
      manifest <- manifests.get(path)
      file <- read.getOrElseUpdate(path, filesOf(manifest)).files.get(planned.location)
    } yield file
  }

  private def filesOf(manifest: ManifestFile): CachedFiles = {
    val id = ManifestId(manifest.path, manifest.length)
    val before = cache.manifest(id).collect { case files: CachedFiles => files }
    before.filter(found => fields.subsetOf(found.fields)).getOrElse {
      val all = fields ++ before.toSeq.flatMap(_.fields)
      if (deadline.isOverdue()) NotRead
      else {
        // It is read to its end, so that the next query finds it in the cache. Iceberg's own planning reads it, too.
        val found = new CachedFiles(all, decode(manifest, all))
        cache.keep(id, found)
        found
      }
    }
  }

  private def decode(manifest: ManifestFile, fields: Set[Int]): Map[String, DataFile] = {
    val ids = fields.map(Int.box).asJava
    Using.resource(ManifestFiles.read(manifest, table.io, table.specs).select(Columns)) { reader =>
      // Not `toSeq`: in Scala 2.12 it is lazy, and the reader would be closed.
      Using.resource(reader.iterator)(_.asScala.map { file =>
        Work.checkInterrupted()
        file.copyWithStats(ids)
      }.toVector)
        .groupBy(_.location).collect { case (path, Seq(file)) => path -> file }
    }
  }
}

private object ReadManifests {
  private val Columns = Seq(
    "file_path",
    "file_format",
    "file_size_in_bytes", // without it, Iceberg takes split offsets for wrong
    "split_offsets",
    "record_count",
    "value_counts",
    "null_value_counts",
    "nan_value_counts",
    "lower_bounds",
    "upper_bounds"
  ).asJava

  /** The approximate memory of a file without metrics and without its path, and of the metrics of one column, in bytes. */
  private val FileSize = 700
  private val ColumnSize = 500

  private val NotRead = new CachedFiles(Set.empty, Map.empty)

  /**
   * The data files of a manifest, by path.
   *
   * @param fields the ids of the columns whose metrics the files have
   */
  private final class CachedFiles(val fields: Set[Int], val files: Map[String, DataFile])
      extends ManifestMetrics {
    override val size: Int = {
      val all =
        files.keysIterator.map(path => 2L * path.length + FileSize + fields.size.toLong * ColumnSize).sum
      all.min(Int.MaxValue / 2).toInt
    }
  }
}
