package limitpruning.plan

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, IntegerLiteral}
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalLimit, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import limitpruning.predicate.{BriefSql, Nesting}

/**
 * A LIMIT over nothing but deterministic projections and filters over a Parquet relation of Spark's own: wherever
 * it stands in a plan, any `limit` rows of its child are a right answer.
 *
 * @param limit rows wanted, at least 1
 * @param conjuncts the predicate over the relation's columns, empty where every row is wanted
 * @param needed the relation's columns that are read where the predicate is proved, and perhaps others
 */
final case class LimitedScan(
    limit: Int,
    conjuncts: Seq[Expression],
    needed: AttributeSet,
    logical: LogicalRelation,
    relation: HadoopFsRelation
)

object LimitedScan {

  /** What `local` stands over, or why that is not ours; `None` where it is no LIMIT over Parquet at all. */
  def of(local: LocalLimit): Option[Either[Declined, LimitedScan]] = local.child match {
    case ScanOperation(projections, filtersAbove, filters, ParquetScan(logical, relation)) =>
      local.limitExpr match {
        case IntegerLiteral(limit) if limit > 0 =>
          val unsupported = (filters ++ filtersAbove).flatMap(subqueryIn).headOption
            .orElse((projections ++ filters ++ filtersAbove).flatMap(unsupportedUse).headOption)
            // What is proved is proved of the filters below; those above may leave fewer rows.
            .orElse(filtersAbove.headOption.map(filter => Declined.FilterAbove(BriefSql(filter))))
          val reason = unsupported.orElse(ParquetScan.unsupported(logical, relation))
          val needed = AttributeSet.fromAttributeSets(projections.map(_.references))
          Some(reason.toLeft(LimitedScan(limit, filters, needed, logical, relation)))
        case IntegerLiteral(_) => None
        case _ => left(Declined.LimitNotConstant)
      }
    case ScanOperation(_, _, _, SparkV2ParquetScan()) => left(Declined.DataSourceV2)
    case ScanOperation(_, _, _, other) if readsParquetUnlimited(other) =>
      left(blockedBy(other))
    case _ => None
  }

  private def blockedBy(operator: LogicalPlan): Declined = operator match {
    case _: Project | _: Filter if !operator.deterministic =>
      Declined.NotDeterministic(
        operator.expressions.find(!_.deterministic).fold(operator.nodeName)(BriefSql(_))
      )
    case other => Declined.OperatorBetween(other.nodeName)
  }

  /** A predicate whose value is known only once another query has run. */
  private[plan] def subqueryIn(expression: Expression): Option[Declined] =
    if (expression.containsPattern(PLAN_EXPRESSION)) Some(Declined.Subquery) else None

  private def unsupportedUse(expression: Expression): Option[Declined] =
    if (Nesting.isDeeper(expression, Nesting.Deepest)) Some(Declined.TooDeeplyNested(Nesting.Deepest))
    else if (!expression.deterministic) Some(Declined.NotDeterministic(BriefSql(expression)))
    else SplitColumns.usedIn(expression).map(Declined.SplitDependent(_))

  private def left(reason: Declined): Option[Either[Declined, LimitedScan]] = Some(Left(reason))

  /** Whether a Parquet scan stands below that no other LIMIT speaks for (as those under a UNION do). */
  private def readsParquetUnlimited(plan: LogicalPlan): Boolean = plan match {
    case _: LocalLimit => false
    case ParquetScan(_, _) | SparkV2ParquetScan() => true
    case other => other.children.exists(readsParquetUnlimited)
  }
}
