package limitpruning.predicate

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.types.{BooleanType, DataType, DoubleType, FloatType, LongType}

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

/** The single values of a column, if there are few: finite sets, and short ranges of integers and dates. */
private[predicate] object FewValues {

  /** The maximum number of values of an integer or date range that are enumerated. */
  private val LongestRange = 64L

  /** Whether [[of]] returns values. Allocates nothing. */
  def exist(facts: ColumnFacts, dataType: DataType): Boolean = facts.values match {
    case Values.Empty | Values.Finite(_) => true
    case range: Values.Range => isConstant(range, dataType) || isShort(range, dataType)
    case Values.Unknown => dataType == BooleanType
  }

  /** All values that the column can have, with null if it may be null. None if there are too many. */
  def of(facts: ColumnFacts, dataType: DataType): Option[Seq[Any]] = if (!exist(facts, dataType)) None
  else {
    val values = facts.values match {
      case Values.Empty => Nil
      case Values.Finite(values) => values
      case range: Values.Range => if (isConstant(range, dataType)) Seq(range.min) else enumerate(range)
      case Values.Unknown => Seq(false, true)
    }
    Some(if (facts.canBeNull) values :+ null else values)
  }

  // Floats are not constant: their range ends with NaN, and -0.0 equals 0.0.
  private def isConstant(range: Values.Range, dataType: DataType): Boolean =
    dataType != FloatType && dataType != DoubleType && range.min == range.max

  private def isShort(range: Values.Range, dataType: DataType): Boolean = range.min match {
    case _: Boolean => true
    case _: Byte | _: Short | _: Int => hasShortDistance(range)
    case _: Long => dataType == LongType && hasShortDistance(range)
    case _ => false
  }

  private def hasShortDistance(range: Values.Range): Boolean = {
    val distance = asLong(range.max) - asLong(range.min) // below 0 on overflow
    distance >= 0 && distance < LongestRange
  }

  private def enumerate(range: Values.Range): Seq[Any] = (range.min, range.max) match {
    case (min: Boolean, max: Boolean) => Seq(min, max).distinct
    case (min: Byte, max: Byte) => between(min.toLong, max.toLong).map(_.toByte)
    case (min: Short, max: Short) => between(min.toLong, max.toLong).map(_.toShort)
    case (min: Int, max: Int) => between(min.toLong, max.toLong).map(_.toInt)
    case (min, max) => between(asLong(min), asLong(max))
  }

  private def between(min: Long, max: Long): Seq[Long] = (0L to (max - min)).map(min + _)

  private def asLong(value: Any): Long = value.asInstanceOf[Number].longValue
}
