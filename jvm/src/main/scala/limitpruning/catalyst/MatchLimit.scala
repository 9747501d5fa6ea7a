package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{
  AttributeSet, Expression, FileSourceMetadataAttribute, GetStructField, IntegerLiteral
}
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalLimit, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.types.StructType

import limitpruning.predicate.{BriefSql, Nesting}
import limitpruning.search.LimitedScan
import limitpruning.select.Reason

/** Finds a LIMIT over nothing but deterministic projections and filters over Parquet. */
object MatchLimit {

  /** What `local` stands over, or why that is not ours; `None` where it is no LIMIT over Parquet at all. */
  def of(local: LocalLimit): Option[Either[Reason, LimitedScan]] = local.child match {
    case ScanOperation(projections, filtersAbove, filters, ParquetScan(logical, relation)) =>
      local.limitExpr match {
        case IntegerLiteral(limit) if limit > 0 =>
          val unsupported = (filters ++ filtersAbove).flatMap(subqueryIn).headOption
            .orElse((projections ++ filters ++ filtersAbove).flatMap(unsupportedUse).headOption)
            // What is proved is proved of the filters below; those above may leave fewer rows.
            .orElse(filtersAbove.headOption.map(filter => Reason.FilterAbove(BriefSql(filter))))
          val reason = unsupported.orElse(ParquetScan.unsupported(logical, relation))
          val needed = AttributeSet.fromAttributeSets(projections.map(_.references))
          Some(reason.toLeft(LimitedScan(limit, filters, needed, logical, relation)))
        case IntegerLiteral(_) => None
        case _ => left(Reason.LimitNotConstant)
      }
    case ScanOperation(_, _, _, SparkV2ParquetScan()) => left(Reason.DataSourceV2)
    case ScanOperation(_, _, _, other) if readsParquetUnlimited(other) =>
      left(blockedBy(other))
    case _ => None
  }

  private def blockedBy(operator: LogicalPlan): Reason = operator match {
    case _: Project | _: Filter if !operator.deterministic =>
      Reason.NotDeterministic(
        operator.expressions.find(!_.deterministic).fold(operator.nodeName)(BriefSql(_))
      )
    case other => Reason.OperatorBetween(other.nodeName)
  }

  /** A predicate whose value is known only once another query has run. */
  private[limitpruning] def subqueryIn(expression: Expression): Option[Reason] =
    if (expression.containsPattern(PLAN_EXPRESSION)) Some(Reason.Subquery) else None

  private def unsupportedUse(expression: Expression): Option[Reason] =
    if (Nesting.isDeeper(expression, Nesting.Deepest)) Some(Reason.TooDeeplyNested(Nesting.Deepest))
    else if (!expression.deterministic) Some(Reason.NotDeterministic(BriefSql(expression)))
    else SplitColumns.usedIn(expression).map(Reason.SplitDependent(_))

  private def left(reason: Reason): Option[Either[Reason, LimitedScan]] = Some(Left(reason))

  /** Whether a Parquet scan stands below that no other LIMIT speaks for (as those under a UNION do). */
  private def readsParquetUnlimited(plan: LogicalPlan): Boolean = plan match {
    case _: LocalLimit => false
    case ParquetScan(_, _) | SparkV2ParquetScan() => true
    case other => other.children.exists(readsParquetUnlimited)
  }
}

/** The metadata columns that tell where a split of a file begins and how long it is. */
object SplitColumns {
  private val names = Set(FileFormat.FILE_BLOCK_START, FileFormat.FILE_BLOCK_LENGTH)

  /** The first of them that the expression uses, alone or with the whole `_metadata` struct. */
  def usedIn(expression: Expression): Option[String] = expression match {
    case field: GetStructField if isMetadata(field.child) => Some(field.extractFieldName).filter(names)
    case FileSourceMetadataAttribute(metadata) =>
      metadata.dataType match {
        case struct: StructType => struct.fieldNames.find(names)
        case _ => None
      }
    case other => other.children.iterator.map(usedIn).collectFirst { case Some(name) => name }
  }

  private def isMetadata(e: Expression): Boolean = e match {
    case FileSourceMetadataAttribute(_) => true
    case _ => false
  }
}
