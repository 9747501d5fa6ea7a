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
import limitpruning.search.{LimitedScan, Table}
import limitpruning.select.Reason
import limitpruning.tables.Tables

/** Finds a LIMIT over nothing but deterministic projections and filters over a table. */
object MatchLimit {

  /** What `local` is over, or why it is not pruned; `None` if it is over none of the [[Tables]] at all. */
  def of(local: LocalLimit): Option[Either[Reason, LimitedScan]] = local.child match {
    case ScanOperation(projections, filtersAbove, filters, ScannedTable(Right(table))) =>
      local.limitExpr match {
        case IntegerLiteral(limit) if limit > 0 =>
          val unsupported = (filters ++ filtersAbove).flatMap(subqueryIn).headOption
            .orElse((projections ++ filters ++ filtersAbove).flatMap(unsupportedUse).headOption)
            // What is proved is proved of the filters below; those above may leave fewer rows.
            .orElse(filtersAbove.headOption.map(filter => Reason.FilterAbove(BriefSql(filter))))
          val reason = unsupported.orElse(table.unsupported)
          val needed = AttributeSet.fromAttributeSets(projections.map(_.references))
          Some(reason.toLeft(LimitedScan(limit, filters, needed, table)))
        case IntegerLiteral(_) => None
        case _ => left(Reason.LimitNotConstant)
      }
    case ScanOperation(_, _, _, ScannedTable(Left(reason))) => left(reason)
    case ScanOperation(_, _, _, other) if readsTableUnlimited(other) =>
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

  /** Whether a table is read below without a LIMIT of its own, as the inputs of a UNION have. */
  private def readsTableUnlimited(plan: LogicalPlan): Boolean = plan match {
    case _: LocalLimit => false
    case ScannedTable(_) => true
    case other => other.children.exists(readsTableUnlimited)
  }

  private object ScannedTable {
    def unapply(plan: LogicalPlan): Option[Either[Reason, Table]] = Tables.of(plan)
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
