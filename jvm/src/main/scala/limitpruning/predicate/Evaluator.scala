package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BooleanType, DoubleType, FloatType}
import org.apache.spark.unsafe.types.UTF8String

/** The facts about one unit of rows, by the ordinal of the column in the evaluator's input. */
trait RowUnit {
  def facts(ordinal: Int): ColumnFacts
}

/**
 * Tells which outcomes a predicate can have over a unit of rows, from facts alone. Compiled once per query, then
 * asked for every row group; thread-safe.
 *
 * What the table below does not list has unknown outcomes, so a conjunct that cannot be reasoned about is never
 * counted as proved. Expressions that are not deterministic are unknown whatever their form.
 *
 * @param predicate a resolved boolean expression over `input`
 * @param input the columns, in the order in which a [[RowUnit]] numbers them
 */
final class Evaluator(predicate: Expression, input: Seq[Attribute]) {
  private val ordinals: Map[ExprId, Int] = input.map(_.exprId).zipWithIndex.toMap
  private val root: RowUnit => Outcomes = compile(predicate)

  /** The possible outcomes over `unit`, which must have at least one row. */
  def outcomes(unit: RowUnit): Outcomes = root(unit)

  private def compile(expression: Expression): RowUnit => Outcomes = expression match {
    case e if !e.deterministic => _ => Outcomes.Any

    case And(left, right) => both(left, right)((l, r) => l.and(r))
    case Or(left, right) => both(left, right)((l, r) => l.or(r))
    case Not(child) => val inner = compile(child); unit => !inner(unit)

    case Comparable(e @ EqualTo(l, r)) => compare(l, r)(comparisons(e).equalTo)
    case Comparable(e @ EqualNullSafe(l, r)) => compare(l, r)(comparisons(e).equalNullSafe)
    case Comparable(e @ LessThan(l, r)) => compare(l, r)(comparisons(e).lessThan)
    case Comparable(e @ LessThanOrEqual(l, r)) => compare(l, r)(comparisons(e).lessThanOrEqual)
    case Comparable(e @ GreaterThan(l, r)) => compare(r, l)(comparisons(e).lessThan)
    case Comparable(e @ GreaterThanOrEqual(l, r)) => compare(r, l)(comparisons(e).lessThanOrEqual)

    case LiteralList(value, elements) =>
      val list = new Membership(elements, SupportedTypes.ordering(value.dataType))
      val operand = operandFacts(value)
      unit => list.outcomes(operand(unit))
    case StartsWith(value, Literal(prefix: UTF8String, _)) if SupportedTypes.contains(value.dataType) =>
      val operand = operandFacts(value)
      unit => Prefixes.startsWith(operand(unit), prefix)

    case IsNull(child) => nullness(child)
    case IsNotNull(child) => val isNull = nullness(child); unit => !isNull(unit)

    case e if e.dataType == BooleanType => asPredicate(e)
    case _ => _ => Outcomes.Any
  }

  private def both(left: Expression, right: Expression)(
      combine: (Outcomes, Outcomes) => Outcomes
  ): RowUnit => Outcomes = {
    val (l, r) = (compile(left), compile(right))
    unit => combine(l(unit), r(unit))
  }

  private def compare(left: Expression, right: Expression)(
      outcomes: (ColumnFacts, ColumnFacts) => Outcomes
  ): RowUnit => Outcomes = {
    val (l, r) = (operandFacts(left), operandFacts(right))
    unit => outcomes(l(unit), r(unit))
  }

  private def comparisons(e: BinaryComparison): Comparisons =
    new Comparisons(SupportedTypes.ordering(e.left.dataType))

  /** `e IS NULL`: never null itself. */
  private def nullness(e: Expression): RowUnit => Outcomes = {
    val operand = operandFacts(e)
    unit => {
      val facts = operand(unit)
      Outcomes(canBeTrue = facts.canBeNull, canBeFalse = facts.canBeValue, canBeNull = false)
    }
  }

  /** A boolean column or literal that stands as a predicate: false < true. */
  private def asPredicate(e: Expression): RowUnit => Outcomes = {
    val operand = operandFacts(e)
    unit => {
      val facts = operand(unit)
      val (canBeTrue, canBeFalse) = facts.values match {
        case Values.None => (false, false)
        case Values.Range(min: Boolean, max: Boolean) => (max, !min)
        case _ => (true, true)
      }
      Outcomes(canBeTrue, canBeFalse, facts.canBeNull)
    }
  }

  /** The facts about an operand: a literal, or a column of the input; anything else is unknown. */
  private def operandFacts(e: Expression): RowUnit => ColumnFacts = e match {
    case Literal(value, _) => val facts = ColumnFacts.constant(value); _ => facts
    case column: Attribute =>
      ordinals.get(column.exprId) match {
        case Some(ordinal) => unit => unit.facts(ordinal)
        case None => _ => ColumnFacts.Unknown
      }
    case _ => _ => ColumnFacts.Unknown
  }
}

/** A comparison between two expressions of one and the same type with a known order. */
private object Comparable {
  def unapply(e: BinaryComparison): Option[BinaryComparison] =
    if (e.left.dataType == e.right.dataType && SupportedTypes.contains(e.left.dataType)) Some(e) else None
}

/** `value IN (literals)`, in either of Catalyst's forms. */
private object LiteralList {
  def unapply(e: Expression): Option[(Expression, Iterable[Any])] = e match {
    case In(value, list) if supports(value) && list.forall(isLiteralLike(value)) =>
      Some((value, list.collect { case Literal(element, _) => element }))
    // InSet looks floats up by Java's equality, which tells -0.0 from 0.0 where Spark's ordering does not.
    case InSet(value, elements) if supports(value) && !isFloatingPoint(value) => Some((value, elements))
    case _ => None
  }

  private def supports(value: Expression): Boolean = SupportedTypes.contains(value.dataType)

  private def isFloatingPoint(value: Expression): Boolean =
    value.dataType == FloatType || value.dataType == DoubleType

  private def isLiteralLike(value: Expression)(e: Expression): Boolean =
    e.isInstanceOf[Literal] && e.dataType == value.dataType
}
