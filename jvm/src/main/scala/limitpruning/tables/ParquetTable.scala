package limitpruning.tables

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.expressions.{
  Attribute, AttributeReference, AttributeSet, Expression, PlanExpression, Unevaluable
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StructType

import limitpruning.conf.SparkSessions
import limitpruning.parquet.ReadSettings
import limitpruning.search.{FileFacts, LimitPlan, Table, TableListing}
import limitpruning.select.{ListedFile, Reason}

/**
 * A Parquet table that Spark reads through data source V1: paths, a catalog table, or a Hive table that Spark converts.
 */
final class ParquetTable(override val leaf: LogicalRelation, val relation: HadoopFsRelation) extends Table {

  override def name: String =
    leaf.catalogTable.map(_.identifier.unquotedString).getOrElse(relation.location.rootPaths.mkString(", "))

  override def partitionSchema: StructType = relation.partitionSchema

  override lazy val settings: ReadSettings = ReadSettings.of(relation)

  override def hadoopConf: Configuration = SparkSessions.hadoopConf(relation.sparkSession, relation.options)

  override def unsupported: Option[Reason] =
    if (leaf.isStreaming || leaf.stream.nonEmpty) Some(Reason.Streaming)
    // Table formats subclass it. Their deletion vectors and column mappings are not stored in the Parquet files.
    else if (relation.fileFormat.getClass != classOf[ParquetFileFormat])
      Some(Reason.NotSparksParquet(relation.fileFormat.getClass.getName))
    else if (!isSparksOwn(relation.location))
      Some(Reason.NotSparksIndex(relation.location.getClass.getName))
    else
      toleratesBadFiles
        .orElse(ScanContract.undecided(leaf, ScanClauses.logicalRelation).map(Reason.UnknownField(_)))
        .orElse(ScanContract.undecided(relation, ScanClauses.fsRelation).map(Reason.UnknownField(_)))

  override def selected: Option[LimitPlan] = relation.location match {
    case index: SelectedFileIndex => Some(index.plan)
    case _ => None
  }

  /** Whether partition values alone decide a conjunct, and the driver can evaluate it. */
  override def decides(conjunct: Expression): Boolean =
    conjunct.references.nonEmpty && conjunct.references.subsetOf(partitionColumns) &&
      conjunct.deterministic &&
      !conjunct.exists {
        case _: Attribute => false
        case part => part.isInstanceOf[Unevaluable] || part.isInstanceOf[PlanExpression[_]]
      }

  override def list(conjuncts: Seq[Expression]): TableListing =
    new ParquetListing(this, conjuncts.filter(decides).map(withExactNames))

  private lazy val partitionColumns = AttributeSet(leaf.resolve(partitionSchema, settings.resolver))

  /** Spark's indexes find partition columns by exact name, but a query may write the name in another case. */
  private def withExactNames(filter: Expression): Expression = filter.transform {
    case column: AttributeReference =>
      partitionSchema.find(field => settings.resolver(field.name, column.name))
        .fold(column)(field => column.withName(field.name))
  }

  private def isSparksOwn(index: FileIndex): Boolean = index match {
    case _: SelectedFileIndex => true
    case _: CatalogFileIndex | _: PartitioningAwareFileIndex =>
      index.getClass.getPackageName.startsWith("org.apache.spark.sql.execution.")
    case _ => false
  }

  private def toleratesBadFiles: Option[Reason] = {
    val options = new FileSourceOptions(CaseInsensitiveMap(relation.options))
    if (options.ignoreMissingFiles) Some(Reason.ToleratesBadFiles("ignoreMissingFiles"))
    else if (options.ignoreCorruptFiles) Some(Reason.ToleratesBadFiles("ignoreCorruptFiles"))
    else None
  }
}

object ParquetTable {
  def of(plan: LogicalPlan): Option[ParquetTable] = plan match {
    case leaf: LogicalRelation =>
      leaf.relation match {
        case files: HadoopFsRelation if files.fileFormat.isInstanceOf[ParquetFileFormat] =>
          Some(new ParquetTable(leaf, files))
        case _ => None
      }
    case _ => None
  }
}

/** The files that remain after partition pruning, sorted by path. */
private final class ParquetListing(
    table: ParquetTable,
    partitionFilters: Seq[Expression]
) extends TableListing {

  /**
   * The table's own file index. For a catalog table, it contains only the partitions that remain after partition
   * pruning. Other partitions are not listed, because their locations may be unreachable.
   */
  private val index: FileIndex = table.relation.location match {
    case catalog: CatalogFileIndex if table.partitionSchema.nonEmpty && partitionFilters.nonEmpty =>
      catalog.filterPartitions(partitionFilters)
    case other => other
  }

  override val files: IndexedSeq[ListedFile] = {
    val listed = for {
      directory <- index.listFiles(partitionFilters, Nil)
      file <- directory.files
    } yield (file.getPath.toString, directory.values, file)
    listed.sortBy(_._1).zipWithIndex.map { case ((_, values, file), position) =>
      ListedFile(values, file, position)
    }.toIndexedSeq
  }

  override def facts(file: ListedFile): FileFacts = FileFacts.NothingDeleted

  override def read(plan: LogicalPlan, chosen: LimitPlan): LogicalPlan =
    SelectedRelation.replaceIn(plan, table.leaf, new SelectedFileIndex(index, chosen, table.settings))
}
