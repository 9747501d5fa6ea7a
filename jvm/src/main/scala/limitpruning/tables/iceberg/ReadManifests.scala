package limitpruning.tables.iceberg

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.{BatchScan, DataFile, ManifestFiles, Table}

/**
 * Reads the metrics of data files from the manifests of a snapshot. Iceberg plans a scan without them. Each manifest is
 * read when the metrics of one of its files are needed. Not thread-safe.
 */
private final class ReadManifests(table: Table, scan: BatchScan) {
  import ReadManifests._

  private val read = mutable.Map.empty[String, Map[String, DataFile]]

  private lazy val manifests =
    scan.snapshot.dataManifests(table.io).asScala.map(manifest => manifest.path -> manifest).toMap

  /** @return a planned file with its metrics; none if its manifest is not known, or names the file twice */
  def metrics(planned: DataFile): Option[DataFile] =
    Option(planned.manifestLocation).filter(manifests.contains).flatMap { manifest =>
      read.getOrElseUpdate(manifest, filesOf(manifest)).get(planned.location)
    }

  private def filesOf(manifest: String): Map[String, DataFile] =
    Using.resource(ManifestFiles.read(manifests(manifest), table.io, table.specs).select(Columns)) { reader =>
      val found = reader.iterator
      Using.resource(found)(_.asScala.toSeq).groupBy(_.location).collect { case (path, Seq(file)) =>
        path -> file
      }
    }
}

private object ReadManifests {
  private val Columns = Seq(
    "file_path",
    "file_format",
    "record_count",
    "value_counts",
    "null_value_counts",
    "nan_value_counts",
    "lower_bounds",
    "upper_bounds"
  ).asJava
}
