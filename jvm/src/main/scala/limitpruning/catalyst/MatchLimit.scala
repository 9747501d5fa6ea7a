package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{
  Alias, Attribute, AttributeMap, AttributeSet, Expression, FileSourceMetadataAttribute, GetStructField,
  IntegerLiteral, NamedExpression
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

/** Matches a LIMIT over a table, with only deterministic projections and filters between them. */
object MatchLimit {

  /** The scan below `local`, or the reason why it is not pruned; `None` if `local` is over none of the [[Tables]]. */
  def of(local: LocalLimit): Option[Either[Reason, LimitedScan[Table]]] =
    over[Table](local, _.canDecideWhenRun)(Tables.of).map(_.flatMap(found =>
      found.table.unsupported.toLeft(found)
    ))

  /**
   * The LIMIT over a node for which `find` gives a table, or the reason why it is not pruned; `None` if `local` is over no
   * such node.
   *
   * @param canDecideWhenRun whether the LIMIT over a table can be decided when the query runs, by the values of subqueries
   */
  def over[T](
      local: LocalLimit,
      canDecideWhenRun: T => Boolean = (_: T) => false
  )(find: Find[T]): Option[Either[Reason, LimitedScan[T]]] = {
    val tables = new Scanned[T](find)
    local.child match {
      case ScanOperation(projections, filtersAbove, filters, scanned) =>
        (tables.of(scanned), local.limitExpr) match {
          case (Some(Right(table)), IntegerLiteral(limit)) if limit > 0 =>
            val unsupported = unsupportedSubquery(filters, filtersAbove, canDecideWhenRun(table))
              .orElse((projections ++ filters ++ filtersAbove).flatMap(unsupportedUse).headOption)
              // Only the filters below are proved. Filters above them may pass fewer rows. Spark leaves filters there if one of
              // them is not deterministic.
              .orElse(filtersAbove.headOption.map(filter => Reason.NotDeterministic(BriefSql(filter))))
            val needed = AttributeSet.fromAttributeSets(projections.map(_.references))
            Some(unsupported.toLeft(LimitedScan(limit, filters, needed, table)))
          case (Some(Right(_)), IntegerLiteral(_)) => None
          case (Some(Right(_)), _) => Some(Left(Reason.LimitNotConstant))
          case (Some(Left(reason)), _) => Some(Left(reason))
          case (None, _) => if (tables.areReadUnlimited(scanned)) Some(Left(blockedBy(scanned))) else None
        }
      case _ => None
    }
  }

  /** Gives the table that a node reads, or the reason why it is not supported; `None` for any other node. */
  type Find[T] = LogicalPlan => Option[Either[Reason, T]]

  private def blockedBy(operator: LogicalPlan): Reason = operator match {
    case _: Project | _: Filter if !operator.deterministic =>
      Reason.NotDeterministic(
        operator.expressions.find(!_.deterministic).fold(operator.nodeName)(BriefSql(_))
      )
    case other => Reason.OperatorBetween(other.nodeName)
  }

  private def unsupportedSubquery(
      filters: Seq[Expression],
      filtersAbove: Seq[Expression],
      canDecideWhenRun: Boolean
  ): Option[Reason] = {
    def inFilters = filters.flatMap(subqueryIn).headOption
      .filterNot(_ => canDecideWhenRun && ScalarSubqueries.areSupported(filters))
    filtersAbove.flatMap(subqueryIn).headOption.orElse(inFilters)
  }

  /** The reason if the expression contains a subquery: its value is unknown until the subquery has run. */
  private[limitpruning] def subqueryIn(expression: Expression): Option[Reason] =
    if (expression.containsPattern(PLAN_EXPRESSION)) Some(Reason.Subquery) else None

  /** Replaces the names of projected columns in the expression by the expressions of the projections. */
  private[catalyst] def overRelation(e: Expression, projections: Seq[NamedExpression]): Expression =
    overRelation(projections)(e)

  /** Does so with the projections between the top of a plan and its relation. */
  private[catalyst] def overRelation(plan: LogicalPlan): Expression => Expression = plan match {
    case ScanOperation(projections, _, _, _) => overRelation(projections)
    case _ => identity
  }

  /** Does so for many expressions. */
  private[catalyst] def overRelation(projections: Seq[NamedExpression]): Expression => Expression = {
    val aliases = AttributeMap(projections.collect { case alias: Alias => (alias.toAttribute, alias.child) })
    if (aliases.isEmpty) identity
    else _.transform { case attribute: Attribute => aliases.getOrElse(attribute, attribute) }
  }

  /**
   * Does so, or returns none if an expression is long. Of expressions that use the one below twice, each is twice as long as the
   * one below, so Spark does not put them together.
   */
  private[catalyst] def shortOverRelation(projections: Seq[NamedExpression])
      : Expression => Option[Expression] = {
    val over = overRelation(projections)
    e => if (Nesting.nodes(e) > MostNodes) None else Some(over(e))
  }

  /** The length up to which expressions are put together. */
  private val MostNodes = 1000L

  /** Why the LIMIT is not pruned if an expression between LIMIT and table is this one; none if it is supported. */
  private[catalyst] def unsupportedUse(expression: Expression): Option[Reason] =
    if (Nesting.isDeeper(expression, Nesting.Deepest)) Some(Reason.TooDeeplyNested(Nesting.Deepest))
    else if (!expression.deterministic) Some(Reason.NotDeterministic(BriefSql(expression)))
    else SplitColumns.usedIn(expression).map(Reason.SplitDependent(_))

  private final class Scanned[T](find: Find[T]) {

    /**
     * Whether the plan reads a table without a LIMIT of its own. The inputs of a UNION, for example, have their own
     * LIMIT.
     */
    def areReadUnlimited(plan: LogicalPlan): Boolean = plan match {
      case _: LocalLimit => false
      case other => of(other).nonEmpty || other.children.exists(areReadUnlimited)
    }

    /** The table, or the reason why a LIMIT over it is not pruned; none if the plan is no table. */
    def of(plan: LogicalPlan): Option[Either[Reason, T]] =
      find(plan).map(found => UnprunedTables.reasonAbove(plan).fold(found)(Left(_)))
  }
}

/** The metadata columns with the start and the length of a split of a file. */
object SplitColumns {
  private val names = Set(FileFormat.FILE_BLOCK_START, FileFormat.FILE_BLOCK_LENGTH)

  /** The first of these columns that the expression uses, alone or as part of the whole `_metadata` struct. */
  def usedIn(expression: Expression): Option[String] = expression match {
    case field: GetStructField if isMetadata(field.child) =>
      Some(field.childSchema(field.ordinal).name).filter(names)
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
