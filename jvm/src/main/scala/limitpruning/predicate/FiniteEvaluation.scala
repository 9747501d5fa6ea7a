package limitpruning.predicate

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.types.DataType

/**
 * Evaluates an expression with Catalyst itself, for every combination of its columns' values, if there are
 * few. This proves any deterministic expression without a rule for it. An evaluation that throws proves
 * nothing.
 *
 * @param expression resolved and deterministic
 * @param ordinals the unit's number of each column of the expression
 */
final class FiniteEvaluation private (
    expression: Expression,
    ordinals: IndexedSeq[Int],
    types: IndexedSeq[DataType]
) {
  import FiniteEvaluation._

  private val inputs = ordinals.indices

  /** The results, including null. None if a column has too many values, or if an evaluation threw. */
  def results(unit: RowUnit): Option[Set[Any]] = {
    // Most columns have many values. This check runs before anything is allocated for the others.
    val areFew = inputs.forall(i => FewValues.exist(unit.facts(ordinals(i)), types(i)))
    if (!areFew) None
    else {
      val choices = inputs.flatMap(i => FewValues.of(unit.facts(ordinals(i)), types(i)))
      if (choices.map(_.size.toLong).product > MostCombinations) None
      else
        try Some(combinations(choices).map(row => expression.eval(row)).toSet)
        catch { case NonFatal(_) => None }
    }
  }

  /** Also evaluates a predicate if the rules leave more than one outcome. */
  def narrow(byRules: RowUnit => Outcomes): RowUnit => Outcomes = unit => {
    val outcomes = byRules(unit)
    if (outcomes.isDecided) outcomes
    else
      results(unit).fold(outcomes) { results =>
        outcomes.intersect(Outcomes(results(true), results(false), results(null)))
      }
  }

  private def combinations(choices: IndexedSeq[Seq[Any]]): Iterator[InternalRow] =
    choices
      .foldLeft(Iterator(Vector.empty[Any]))((rows, values) =>
        rows.flatMap(row => values.iterator.map(row :+ _))
      )
      .map(InternalRow.fromSeq(_))
}

object FiniteEvaluation {

  /** The maximum number of combinations that are evaluated for one expression and unit. */
  private val MostCombinations = 1024L

  /** @return none if the expression cannot be evaluated here, or contains user-defined code */
  def of(expression: Expression, columns: Map[(ExprId, Seq[String]), Int]): Option[FiniteEvaluation] = {
    val used = LeafColumn.in(expression).toIndexedSeq
    val ordinals = used.flatMap(column => columns.get(column.id))
    if (used.isEmpty || ordinals.size < used.size || obstacle(expression).nonEmpty) None
    else Some(new FiniteEvaluation(bind(expression, used), ordinals, used.map(_.dataType)))
  }

  /** The part of an expression, as SQL, that cannot or must not be evaluated while planning. */
  def obstacle(e: Expression): Option[String] = e match {
    case LeafColumn(_) => None
    case _: Unevaluable | _: UserDefinedExpression | _: PlanExpression[_] | _: AggregateExpression =>
      Some(BriefSql(e))
    case _: Nondeterministic | _: LambdaFunction | _: NamedLambdaVariable => Some(BriefSql(e))
    case other => other.children.iterator.map(obstacle).collectFirst { case Some(part) => part }
  }

  private def bind(e: Expression, columns: IndexedSeq[LeafColumn]): Expression = e match {
    case LeafColumn(column) =>
      BoundReference(columns.indexWhere(_.id == column.id), column.dataType, nullable = true)
    case other => other.mapChildren(bind(_, columns))
  }
}
