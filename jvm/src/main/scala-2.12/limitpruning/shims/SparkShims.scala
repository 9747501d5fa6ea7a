package limitpruning.shims

import scala.reflect.NameTransformer

import org.apache.spark.SparkException
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, AttributeSet, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{FileSourceScanExec, PartitionedFileUtil}
import org.apache.spark.sql.execution.datasources.{FileStatusWithMetadata, LogicalRelation, PartitionedFile}
import org.apache.spark.sql.types.StructType

/** Members of Spark 4 that Spark 3.5 does not have, or has in another form. */
private[limitpruning] object SparkShims {

  /**
   * Adds a rule that resolves a hint. Spark 3.5 has no place for such rules beside its own. It removes unknown hints after
   * the tables are resolved.
   */
  def injectHintRule(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit =
    extensions.injectResolutionRule(_ => rule)

  /** Whether a job failed because it was cancelled. Spark 3.5 has no error condition for it, and a number in any digits. */
  def isCancelled(error: SparkException): Boolean =
    error.getErrorClass == null && Option(error.getMessage).exists(_.matches("(?s)Job \\S+ cancelled.*"))

  /**
   * The names of the fields of a case class, in the order of its constructor. Scala 2.12 writes them into the class file, as
   * the names of the constructor's parameters. The constructor may have more, which are no fields. A name that is not
   * certain is `unknown`.
   */
  def elementNames(part: Product): Iterator[String] = {
    val constructors = part.getClass.getConstructors.toSeq.map(_.getParameters.toSeq)
    val names = constructors.filter(_.size >= part.productArity).sortBy(_.size).headOption.toSeq.flatten
      .take(part.productArity)
      .map(parameter => if (parameter.isNamePresent) NameTransformer.decode(parameter.getName) else Unknown)
    part.productIterator.zipAll(names.iterator, null, Unknown).map {
      case (value, name) => if (isElement(part, name, value)) name else Unknown
    }
  }

  private def isElement(part: Product, name: String, value: Any): Boolean =
    part.getClass.getMethods.exists(method =>
      method.getName == name && method.getParameterCount == 0 && method.invoke(part) == value
    )

  private val Unknown = "unknown"

  /**
   * The scan with all filters on data that wait for scalar subqueries, so that it refers to their runs. Spark 3.5 leaves these
   * filters out of its scan node, because it would not push them down. It has them above the scan alone.
   */
  def withSubqueryFilters(
      scan: FileSourceScanExec,
      filters: Seq[Expression],
      relation: LogicalRelation
  ): FileSourceScanExec = {
    val partitionColumns = AttributeSet(relation.resolve(scan.relation.partitionSchema, scan.conf.resolver))
    val waiting = filters.filter { filter =>
      filter.deterministic && SubqueryExpression.hasSubquery(filter) &&
      filter.references.intersect(partitionColumns).isEmpty
    }
    scan.copy(dataFilters = scan.dataFilters ++ waiting.map(_.transform {
      // As Spark does: its reader finds columns by the names of the table, not by those of the query.
      case column: AttributeReference =>
        relation.output.find(_.semanticEquals(column)).fold(column)(known => column.withName(known.name))
    }))
  }

  /** Whether a relation is the source of a streaming query. In Spark 3.5, no file relation is. */
  def isStream(relation: LogicalRelation): Boolean = relation.isStreaming

  /** Whether a struct stands for what a query takes from a variant. Spark 3.5 has no variants. */
  def isVariantStruct(schema: StructType): Boolean = {
    val _ = schema
    false
  }

  /** A part of a file, in bytes, with the hosts that have most of the file. */
  def partOfFile(
      file: FileStatusWithMetadata,
      partitionValues: InternalRow,
      start: Long,
      length: Long
  ): PartitionedFile =
    PartitionedFileUtil.getPartitionedFile(file, file.getPath, partitionValues).copy(start = start, length = length)
}
