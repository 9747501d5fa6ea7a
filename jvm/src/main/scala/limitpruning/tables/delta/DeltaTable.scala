package limitpruning.tables.delta

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.delta.{DeltaColumnMapping, DeltaParquetFileFormat, NameMapping, NoMapping}
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import limitpruning.parquet.{NamesInFiles, ReadSettings}
import limitpruning.search.TableListing
import limitpruning.select.Reason
import limitpruning.tables.FileSourceTable

/**
 * A Delta table, as Delta has prepared it for a query: with the files of one snapshot that Delta's data skipping and its
 * own LIMIT push-down leave.
 */
private[tables] final class DeltaTable(leaf: LogicalRelation, relation: HadoopFsRelation)
    extends FileSourceTable(leaf, relation) {

  override protected def unsupportedFormat: Option[Reason] = (relation.fileFormat, relation.location) match {
    case (format: DeltaParquetFileFormat, index) if isPlain(format) =>
      index match {
        case _: PreparedDeltaFileIndex | _: SelectedDeltaIndex => None
        case other => Some(Reason.NotSparksIndex(other.getClass.getName))
      }
    case (format, _) => Some(Reason.NotSparksParquet(format.getClass.getName))
  }

  /** Not if Delta has already added the filter for deleted rows, for which it needs a path, or if it reads changes. */
  private def isPlain(format: DeltaParquetFileFormat): Boolean =
    format.getClass == classOf[DeltaParquetFileFormat] && !format.hasTablePath && !format.isCDCRead

  override lazy val settings: ReadSettings = ReadSettings.of(relation).copy(names = names)

  override def list(conjuncts: Seq[Expression], keys: Seq[Expression]): TableListing =
    relation.location match {
      case prepared: PreparedDeltaFileIndex => new DeltaListing(this, prepared, conjuncts, keys)
      case other => throw new IllegalStateException(s"no prepared scan: $other")
    }

  private def names: NamesInFiles = relation.fileFormat match {
    case format: DeltaParquetFileFormat => format.columnMappingMode match {
        case NoMapping => NamesInFiles.Same
        case NameMapping =>
          NamesInFiles.Renamed(DeltaColumnMapping.getLogicalNameToPhysicalNameMap(format.referenceSchema))
        case _ => NamesInFiles.Unknown // by field ids
      }
    case _ => NamesInFiles.Unknown
  }
}
