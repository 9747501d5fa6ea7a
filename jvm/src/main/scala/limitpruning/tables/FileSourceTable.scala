package limitpruning.tables

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.expressions.{
  Attribute, AttributeSet, Expression, PlanExpression, Unevaluable
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.types.{StructField, StructType}

import limitpruning.conf.SparkSessions
import limitpruning.parquet.{ReadSettings, VectorizedReader}
import limitpruning.search.{LimitPlan, Table}
import limitpruning.select.Reason
import limitpruning.shims.SparkShims

/** A table whose Parquet files Spark reads through data source V1. */
abstract class FileSourceTable(override val leaf: LogicalRelation, val relation: HadoopFsRelation)
    extends Table {

  /** Why the format or the file index of the relation is not supported; none if both are. */
  protected def unsupportedFormat: Option[Reason]

  /** Changes a plan so that the rows for a LIMIT over this table are chosen when the query runs. */
  def decideWhenRun(plan: LogicalPlan, wanted: WantedRows): LogicalPlan

  /** Whether columns can be read first to find rows, and then only these rows. */
  def canReadFirst: Boolean = canDecideWhenRun

  override def isVectorized(columns: AttributeSet): Boolean = {
    val fields = columns.toSeq.map(column => StructField(column.name, column.dataType))
    // Spark may replace a variant by a struct later.
    VectorizedReader.reads(relation, StructType(fields)) && !fields.exists(_.dataType.typeName == "variant")
  }

  override def name: String =
    leaf.catalogTable.map(_.identifier.unquotedString).getOrElse(relation.location.rootPaths.mkString(", "))

  /** Whether a scan can read further files of the table if selected ones are missing or corrupt. */
  protected def mayHaveReserve: Boolean = false

  override def partitionSchema: StructType = relation.partitionSchema

  override lazy val settings: ReadSettings = ReadSettings.of(relation)

  override def hadoopConf: Configuration = SparkSessions.hadoopConf(relation.sparkSession, relation.options)

  override final def unsupported: Option[Reason] =
    if (leaf.isStreaming || SparkShims.isStream(leaf)) Some(Reason.Streaming)
    else
      unsupportedFormat
        .orElse(if (mayHaveReserve) None else toleratesBadFiles)
        .orElse(ScanContract.undecided(leaf, ScanClauses.logicalRelation).map(Reason.UnknownField(_)))
        .orElse(ScanContract.undecided(relation, ScanClauses.fsRelation).map(Reason.UnknownField(_)))

  override def selected: Option[LimitPlan] = relation.location match {
    case index: SelectedIndex => Some(index.plan)
    case _ => None
  }

  /** Whether partition values alone decide a conjunct, and the driver can evaluate it. */
  override def decides(conjunct: Expression): Boolean =
    conjunct.references.nonEmpty && conjunct.references.subsetOf(partitions) &&
      conjunct.deterministic &&
      !conjunct.exists {
        case _: Attribute => false
        case part => part.isInstanceOf[Unevaluable] || part.isInstanceOf[PlanExpression[_]]
      }

  private lazy val partitions = AttributeSet(partitionColumns)

  override def toleratesBadFiles: Option[Reason.ToleratesBadFiles] = {
    val options = new FileSourceOptions(CaseInsensitiveMap(relation.options))
    if (options.ignoreMissingFiles) Some(Reason.ToleratesBadFiles("ignoreMissingFiles"))
    else if (options.ignoreCorruptFiles) Some(Reason.ToleratesBadFiles("ignoreCorruptFiles"))
    else None
  }
}
