package limitpruning.tables

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

import limitpruning.search.{FileFacts, LimitPlan, TableListing}
import limitpruning.select.{ListedFile, Reason}

/**
 * A Parquet table that Spark reads through data source V1: paths, a catalog table, or a Hive table that Spark converts.
 */
final class ParquetTable(leaf: LogicalRelation, relation: HadoopFsRelation)
    extends FileSourceTable(leaf, relation) {

  override protected def unsupportedFormat: Option[Reason] =
    // Table formats subclass it. Their deletion vectors and column mappings are not stored in the Parquet files.
    if (relation.fileFormat.getClass != classOf[ParquetFileFormat])
      Some(Reason.NotSparksParquet(relation.fileFormat.getClass.getName))
    else if (!isSparksOwn(relation.location))
      Some(Reason.NotSparksIndex(relation.location.getClass.getName))
    else None

  override def list(conjuncts: Seq[Expression], keys: Seq[Expression]): TableListing =
    new ParquetListing(this, conjuncts.filter(decides).map(withExactNames))

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
}

object ParquetTable {

  /** The table that a node of a plan reads; `None` if its format is not based on Spark's Parquet reader. */
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

  override def hasFacts: Boolean = false
  override def isWorthAskingFirst: Boolean = false

  override def facts(file: ListedFile): FileFacts = FileFacts.NothingDeleted

  override def read(plan: LogicalPlan, chosen: LimitPlan): LogicalPlan =
    SelectedRelation.replaceIn(plan, table.leaf, new SelectedFileIndex(index, chosen))
}
