package limitpruning.catalyst

import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.v2.parquet.{ParquetScan => V2ParquetScan}

import limitpruning.select.Reason

/** A relation over files in Parquet, in whatever way it is read. */
object ParquetScan {

  def unapply(plan: LogicalPlan): Option[(LogicalRelation, HadoopFsRelation)] = plan match {
    case logical: LogicalRelation =>
      logical.relation match {
        case fs: HadoopFsRelation if fs.fileFormat.isInstanceOf[ParquetFileFormat] => Some((logical, fs))
        case _ => None
      }
    case _ => None
  }

  /** Why row groups of this relation must not be counted on, if so. */
  def unsupported(logical: LogicalRelation, relation: HadoopFsRelation): Option[Reason] =
    if (logical.isStreaming || logical.stream.nonEmpty) Some(Reason.Streaming)
    // Subclasses belong to table formats, whose deletion vectors and column mappings are not in the files.
    else if (relation.fileFormat.getClass != classOf[ParquetFileFormat])
      Some(Reason.NotSparksParquet(relation.fileFormat.getClass.getName))
    else if (!isSparksOwn(relation.location))
      Some(Reason.NotSparksIndex(relation.location.getClass.getName))
    else
      toleratesBadFiles(relation)
        .orElse(ScanContract.undecided(logical, ScanClauses.logicalRelation).map(Reason.UnknownField(_)))
        .orElse(ScanContract.undecided(relation, ScanClauses.fsRelation).map(Reason.UnknownField(_)))

  private def isSparksOwn(index: FileIndex): Boolean = index match {
    case _: SelectedFileIndex => true
    case _: CatalogFileIndex | _: PartitioningAwareFileIndex =>
      index.getClass.getPackageName.startsWith("org.apache.spark.sql.execution.")
    case _ => false
  }

  private def toleratesBadFiles(relation: HadoopFsRelation): Option[Reason] = {
    val options = new FileSourceOptions(CaseInsensitiveMap(relation.options))
    if (options.ignoreMissingFiles) Some(Reason.ToleratesBadFiles("ignoreMissingFiles"))
    else if (options.ignoreCorruptFiles) Some(Reason.ToleratesBadFiles("ignoreCorruptFiles"))
    else None
  }
}

/** Parquet read through data source V2. */
object SparkV2ParquetScan {
  def unapply(plan: LogicalPlan): Boolean = plan match {
    case relation: DataSourceV2ScanRelation => relation.scan.isInstanceOf[V2ParquetScan]
    case _ => false
  }
}
