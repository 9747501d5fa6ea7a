package limitpruning.predicate

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.types._

/**
 * Evaluates an expression by Catalyst itself for every combination of its columns' values, where those are few.
 * Any deterministic expression is proved in this way, without a rule for it. An evaluation that throws proves nothing.
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

  /** The results, nulls with the rest; none where the columns' values are not few, or an evaluation threw. */
  def results(unit: RowUnit): Option[Set[Any]] = {
    val choices = ordinals.indices.map(i => choicesOf(unit.facts(ordinals(i)), types(i)))
    if (choices.contains(None) || choices.flatten.map(_.size.toLong).product > MostCombinations) None
    else
      try Some(combinations(choices.flatten).map(row => expression.eval(row)).toSet)
      catch { case NonFatal(_) => None }
  }

  /** Evaluates a predicate, too, where the rules leave more than one outcome. */
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

  /** Combinations that are evaluated for one expression and unit at most. */
  private val MostCombinations = 1024L

  /** Values of an integer or date range that are enumerated at most. */
  private val LongestRange = 64L

  /** @return none where the expression cannot be evaluated here, or runs somebody else's code */
  def of(expression: Expression, columns: Map[(ExprId, Seq[String]), Int]): Option[FiniteEvaluation] = {
    val used = Column.in(expression).toIndexedSeq
    val ordinals = used.flatMap(column => columns.get(column.id))
    if (used.isEmpty || ordinals.size < used.size || obstacle(expression).nonEmpty) None
    else Some(new FiniteEvaluation(bind(expression, used), ordinals, used.map(_.dataType)))
  }

  /** The part of an expression that cannot be evaluated while planning, or must not be, as SQL. */
  def obstacle(e: Expression): Option[String] = e match {
    case Column(_) => None
    case _: Unevaluable | _: UserDefinedExpression | _: PlanExpression[_] | _: AggregateExpression =>
      Some(e.sql)
    case _: Nondeterministic | _: LambdaFunction | _: NamedLambdaVariable => Some(e.sql)
    case other => other.children.iterator.map(obstacle).collectFirst { case Some(part) => part }
  }

  private def bind(e: Expression, columns: IndexedSeq[Column]): Expression = e match {
    case Column(column) =>
      BoundReference(columns.indexWhere(_.id == column.id), column.dataType, nullable = true)
    case other => other.mapChildren(bind(_, columns))
  }

  private def choicesOf(facts: ColumnFacts, dataType: DataType): Option[Seq[Any]] = {
    val values = facts.values match {
      case Values.None => Some(Nil)
      case Values.Finite(values) => Some(values)
      // Floats are left out: their range ends with NaN, and -0.0 equals 0.0.
      case Values.Range(min, max) if min == max && !isFloatingPoint(dataType) => Some(Seq(min))
      case range: Values.Range => enumerate(range, dataType)
      case Values.Unknown => if (dataType == BooleanType) Some(Seq(false, true)) else None
    }
    values.map(known => if (facts.canBeNull) known :+ null else known)
  }

  private def isFloatingPoint(dataType: DataType): Boolean = dataType == FloatType || dataType == DoubleType

  private def enumerate(range: Values.Range, dataType: DataType): Option[Seq[Any]] =
    (range.min, range.max) match {
      case (min: Boolean, max: Boolean) => Some(Seq(min, max).distinct)
      case (min: Byte, max: Byte) => between(min.toLong, max.toLong).map(_.map(_.toByte))
      case (min: Short, max: Short) => between(min.toLong, max.toLong).map(_.map(_.toShort))
      case (min: Int, max: Int) => between(min.toLong, max.toLong).map(_.map(_.toInt))
      case (min: Long, max: Long) if dataType == LongType => between(min, max)
      case _ => None
    }

  private def between(min: Long, max: Long): Option[Seq[Long]] =
    if (max - min >= 0 && max - min < LongestRange) Some((0L to (max - min)).map(min + _)) else None
}
