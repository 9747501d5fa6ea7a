package limitpruning.catalyst

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BloomFilterMightContain, Expression, FileSourceMetadataAttribute, GetStructField, Literal, OuterReference,
  PlanExpression, ScalarSubquery
}
import org.apache.spark.sql.execution
import org.apache.spark.sql.execution.{BaseSubqueryExec, ReusedSubqueryExec}
import org.apache.spark.sql.types.DataType

import limitpruning.predicate.{FiniteEvaluation, LeafColumn, Placeholder}

/** Scalar subqueries in a predicate: which are supported, and their values when the query runs. */
object ScalarSubqueries {

  /**
   * Whether each subquery in the conjuncts has one value for the whole query, which is known when the scan starts. Runtime
   * filters also contain scalar subqueries; they are not supported.
   */
  def areSupported(conjuncts: Seq[Expression]): Boolean = !conjuncts.exists(_.exists {
    case subquery: ScalarSubquery => subquery.children.nonEmpty || !subquery.deterministic
    case _: PlanExpression[_] | _: OuterReference | _: BloomFilterMightContain => true
    case FileSourceMetadataAttribute(_) => true
    case _ => false
  })

  /**
   * Whether two predicates are the same, apart from the plans of their subqueries. Spark merges subqueries after the rule,
   * and then takes the value of each from a field of a struct.
   */
  def areSame(some: Seq[Expression], others: Seq[Expression]): Boolean = shapes(some) == shapes(others)

  private def shapes(conjuncts: Seq[Expression]): Map[Expression, Int] = conjuncts
    .map(conjunct => LeafColumn.normalized(withoutPlans(conjunct)).canonicalized)
    .groupBy(identity).map { case (shape, all) => shape -> all.size }

  private def withoutPlans(e: Expression): Expression =
    if (isValue(e)) SomeValue(e.dataType) else e.mapChildren(withoutPlans)

  private def isValue(e: Expression): Boolean = e match {
    case _: ScalarSubquery => true
    case field: GetStructField => isValue(field.child)
    case _ => false
  }

  private final case class SomeValue(dataType: DataType) extends Placeholder

  /** The plans of the subqueries that have a value when the query runs. A reused plan counts as the plan itself. */
  def plansIn(expressions: Seq[Expression]): Seq[BaseSubqueryExec] =
    expressions.flatMap(_.collect { case subquery: execution.ScalarSubquery => original(subquery.plan) })

  private def original(plan: BaseSubqueryExec): BaseSubqueryExec = plan match {
    case reused: ReusedSubqueryExec => original(reused.child)
    case other => other
  }

  /** The expression with the values of its subqueries, which have run. What depends only on them is evaluated. */
  def withValues(e: Expression): Expression = e match {
    case subquery: execution.ScalarSubquery =>
      Literal(subquery.eval(InternalRow.empty), subquery.dataType)
    case other if other.exists(_.isInstanceOf[execution.ScalarSubquery]) =>
      evaluated(other.mapChildren(withValues))
    case other => other
  }

  /** An expression that fails stays as it is, so that it fails for the same rows as without the extension. */
  private def evaluated(e: Expression): Expression =
    if (!e.foldable || FiniteEvaluation.obstacle(e).nonEmpty) e
    else
      try Literal(e.eval(InternalRow.empty), e.dataType)
      catch { case NonFatal(_) => e }
}
