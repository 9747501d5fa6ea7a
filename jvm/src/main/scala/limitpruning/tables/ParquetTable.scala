package limitpruning.tables

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeMap, AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.DecimalType

import limitpruning.footers.{FactsCache, SortedListings}
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
    else if (hasOtherDecimals) Some(Reason.PartitionDecimals)
    else None

  /**
   * Whether a partition value has other digits than its column. With a schema of the user, Spark parses `p=1.5` to a decimal
   * with one digit after the point, whatever the type is. Its vectorized reader then returns 0.15 for `DECIMAL(5, 2)`. The
   * values of a catalog table are cast.
   */
  private lazy val hasOtherDecimals: Boolean = {
    val decimals = partitionSchema.map(_.dataType).zipWithIndex.collect {
      case (decimal: DecimalType, ordinal) => (decimal, ordinal)
    }
    decimals.nonEmpty &&
    (relation.location match {
      case index: PartitioningAwareFileIndex => index.partitionSpec().partitions.exists { partition =>
          decimals.exists { case (decimal, ordinal) =>
            !partition.values.isNullAt(ordinal) && {
              val value = partition.values.getDecimal(ordinal, decimal.precision, decimal.scale)
              value.scale != decimal.scale || value.precision > decimal.precision
            }
          }
        }
      case _ => false
    })
  }

  override protected def mayHaveReserve: Boolean = true

  /** Operators may rely on the buckets of a bucketed table, and a scan that decides when it runs has none. */
  override def canDecideWhenRun: Boolean = relation.bucketSpec.isEmpty

  override def list(
      conjuncts: Seq[Expression],
      keys: Seq[Expression],
      cache: FactsCache
  ): TableListing =
    new ParquetListing(this, relation.location, partitionFilters(conjuncts), cache.listings)

  override def decideWhenRun(plan: LogicalPlan, wanted: WantedRows): LogicalPlan =
    UndecidedRelation.replaceIn(plan, leaf, new UndecidedFileIndex(relation.location, wanted, leaf.output))

  private def partitionFilters(conjuncts: Seq[Expression]): Seq[Expression] =
    conjuncts.filter(decides).map(withExactNames)

  /** Spark's indexes find partition columns by exact name, but a query may write the name in another case. */
  private def withExactNames(filter: Expression): Expression = filter.transform {
    case column: AttributeReference => exactNames.get(column).fold(column)(column.withName)
  }

  private lazy val exactNames = AttributeMap(partitionColumns.zip(partitionSchema.fieldNames))

  private def isSparksOwn(index: FileIndex): Boolean = index match {
    case _: SelectedFileIndex | _: UndecidedIndex => true
    case _: CatalogFileIndex | _: PartitioningAwareFileIndex =>
      index.getClass.getName.startsWith("org.apache.spark.sql.execution.")
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
    index: FileIndex,
    partitionFilters: Seq[Expression],
    sorted: SortedListings
) extends TableListing {

  override val files: IndexedSeq[ListedFile] = index match {
    case listedOnce: InMemoryFileIndex if partitionFilters.isEmpty => sorted.of(listedOnce)(listAndSort())
    case _ => listAndSort()
  }

  // A table may have many files: this sorts an array, and makes no strings of paths.
  private def listAndSort(): IndexedSeq[ListedFile] = {
    val listed = for {
      directory <- index.listFiles(partitionFilters, Nil).toArray
      file <- directory.files
    } yield (file.getPath.toUri.getPath, directory.values, file)
    Arrays.sort(listed, Ordering.by[(String, InternalRow, FileStatusWithMetadata), String](_._1))
    Array.tabulate(listed.length) { position =>
      val (_, values, file) = listed(position)
      ListedFile(values, file, position)
    }.toIndexedSeq
  }

  override def hasFacts: Boolean = false
  override def isWorthAskingFirst: Boolean = false

  override def facts(file: ListedFile): FileFacts = FileFacts.NothingDeleted

  override def read(plan: LogicalPlan, chosen: LimitPlan): LogicalPlan =
    SelectedRelation.replaceIn(plan, table.leaf, new SelectedFileIndex(index, chosen))
}
