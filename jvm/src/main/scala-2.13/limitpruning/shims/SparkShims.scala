package limitpruning.shims

import org.apache.spark.SparkException
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{FileSourceScanExec, PartitionedFileUtil}
import org.apache.spark.sql.execution.datasources.{
  FileStatusWithMetadata, LogicalRelation, PartitionedFile, VariantMetadata
}
import org.apache.spark.sql.types.StructType

/** Members of Spark 4 that Spark 3.5 does not have, or has in another form. */
private[limitpruning] object SparkShims {

  /** Adds a rule that resolves a hint, before tables are resolved. */
  def injectHintRule(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    extensions.injectHintResolutionRule(_ => rule)

  /** Whether a job failed because it was cancelled. */
  def isCancelled(error: SparkException): Boolean = error.getCondition == "SPARK_JOB_CANCELLED"

  /** The names of the fields of a case class, in the order of its constructor. */
  def elementNames(part: Product): Iterator[String] = part.productElementNames

  /** The scan with all filters on data that wait for scalar subqueries. Spark 4 has them in its scan node. */
  def withSubqueryFilters(
      scan: FileSourceScanExec,
      filters: Seq[Expression],
      relation: LogicalRelation
  ): FileSourceScanExec = {
    val _ = (filters, relation)
    scan
  }

  /** Whether a relation is the source of a streaming query. */
  def isStream(relation: LogicalRelation): Boolean = relation.stream.nonEmpty

  /** Whether a struct stands for what a query takes from a variant. */
  def isVariantStruct(schema: StructType): Boolean = VariantMetadata.isVariantStruct(schema)

  /** A part of a file, in bytes, with the hosts that have it. */
  def partOfFile(
      file: FileStatusWithMetadata,
      partitionValues: InternalRow,
      start: Long,
      length: Long
  ): PartitionedFile =
    PartitionedFileUtil.getPartitionedFile(file, file.getPath, partitionValues, start, length)
}
