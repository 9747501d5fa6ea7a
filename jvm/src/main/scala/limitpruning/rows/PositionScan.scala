package limitpruning.rows

import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.sql.catalyst.expressions.{
  Alias, And, AttributeReference, Expression, FileSourceMetadataAttribute, GetStructField, NamedExpression,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.datasources.{
  FileFormat, FileSourceStrategy, HadoopFsRelation, LogicalRelation, SchemaPruning
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StructType

import limitpruning.shims.ClassicSession

/**
 * The positions of the rows of a table that satisfy a predicate, with their sort keys. Spark's own scan reads them, so that a
 * column means what it means to Spark. It reads the columns of the predicate and of the sort keys alone.
 *
 * @param plan its output is the path of the file, the position of the row in the file, and the sort keys
 * @param order the order of these rows, over the output of `plan`
 */
private[rows] final case class PositionScan(plan: SparkPlan, order: Seq[SortOrder])

private[rows] object PositionScan {

  /** The ordinals of the output. */
  val Path = 0
  val Row = 1

  /**
   * @param leaf the table
   * @param conjuncts the predicate, over the columns of `leaf`
   * @param order the sort keys, over the columns of `leaf`
   * @return none if Spark does not number the rows of the table
   */
  def of(
      session: ClassicSession,
      leaf: LogicalRelation,
      conjuncts: Seq[Expression],
      order: Seq[SortOrder]
  ): Option[PositionScan] = for {
    relation <- readWithoutPageIndex(leaf)
    metadata <- relation.output.collectFirst { case FileSourceMetadataAttribute(found) => found }
    path <- field(metadata, FileFormat.FILE_PATH)
    row <- field(metadata, ParquetFileFormat.ROW_INDEX)
    keys = order.zipWithIndex.map { case (key, i) => Alias(key.child, s"key$i")() }
    filtered = conjuncts.reduceOption(And(_, _)).fold[LogicalPlan](relation)(Filter(_, relation))
    // The plan has been optimized already, as the plan of the query.
    planned <- FileSourceStrategy(SchemaPruning(Project(Seq(path, row) ++ keys, filtered))).headOption
  } yield PositionScan(
    QueryExecution.prepareExecutedPlan(session, planned),
    order.zip(keys).map { case (key, alias) => key.copy(child = alias.toAttribute) }
  )

  /**
   * The table with the metadata column of its files. Spark numbers rows by the row counts of row groups then, and not by page
   * indexes, which may be wrong.
   */
  private def readWithoutPageIndex(leaf: LogicalRelation): Option[LogicalRelation] = leaf.relation match {
    case files: HadoopFsRelation =>
      val options = files.options + (ParquetInputFormat.COLUMN_INDEX_FILTERING_ENABLED -> "false")
      val relation = files.copy(options = options)(files.sparkSession)
      Some(leaf.copy(relation = relation).withMetadataColumns())
    case _ => None
  }

  private def field(metadata: AttributeReference, name: String): Option[NamedExpression] =
    metadata.dataType match {
      case struct: StructType if struct.fieldNames.contains(name) =>
        Some(Alias(GetStructField(metadata, struct.fieldIndex(name), Some(name)), name)())
      case _ => None
    }
}
