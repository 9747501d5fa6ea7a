package limitpruning.predicate

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import limitpruning.predicate.Values.Range

/**
 * Computes the facts about the operands of comparisons: columns, literals, and expressions over them.
 *
 * @param columns the unit's number of each column
 * @param predicates compiles the conditions of IF and CASE
 * @param work what may be evaluated
 */
private[predicate] final class Operands(
    columns: Map[(ExprId, Seq[String]), Int],
    predicates: Expression => (RowUnit => Outcomes),
    work: Work = new Work
) {

  /**
   * The facts about `e`: by evaluation for every combination of values, if there are few; otherwise by the
   * rules for its form.
   */
  def facts(e: Expression): RowUnit => ColumnFacts = e match {
    case Literal(value, _) => val constant = ColumnFacts.constant(value); _ => constant
    case LeafColumn(column) => columns.get(column.id).fold(unknown)(ordinal => unit => unit.facts(ordinal))
    case _ if !e.deterministic || !SupportedTypes.contains(e.dataType) => unknown
    case _ =>
      val byRule = ofForm(e)
      FiniteEvaluation.of(e, columns, work).fold(byRule) { finite => unit =>
        finite.results(unit).fold(byRule(unit))(fromResults)
      }
  }

  private val unknown: RowUnit => ColumnFacts = _ => ColumnFacts.Unknown

  private def ofForm(e: Expression): RowUnit => ColumnFacts = e match {
    case MonotoneFunctions(monotone) => overRange(e, monotone)
    case Coalesce(children) => coalesce(children.map(facts), SupportedTypes.ordering(e.dataType))
    case Branches(branches, otherwise) =>
      val ordering = SupportedTypes.ordering(e.dataType)
      val compiled = branches.map { case (condition, value) => (predicates(condition), facts(value)) }
      Branches.choose[ColumnFacts](compiled, facts(otherwise), _.union(_, ordering))
    case _ => unknown
  }

  private def fromResults(results: Set[Any]): ColumnFacts = {
    val values = results.filter(_ != null).toSeq
    if (values.isEmpty) ColumnFacts.AllNull
    else ColumnFacts(Values.Finite(values), if (results(null)) Nulls.Unknown else Nulls.No)
  }

  private def overRange(e: Expression, monotone: MonotoneFunctions.Monotone): RowUnit => ColumnFacts = {
    val operand = monotone.operand
    val inner = facts(operand)
    val ofOperand =
      e.mapChildren(c => if (c eq operand) BoundReference(0, operand.dataType, nullable = true) else c)
    val (from, to) = (SupportedTypes.contains(operand.dataType), SupportedTypes.ordering(e.dataType))
    if (!from) unknown
    else {
      val operandOrder = SupportedTypes.ordering(operand.dataType)
      unit => {
        val known = inner(unit)
        val values = if (!known.canBeValue) Values.Empty
        else image(known.values.hull(operandOrder), monotone, ofOperand, to)
        // The function is null for a row if and only if its operand is null: if the function is defined at
        // two points, it is defined between them.
        if (values == Values.Unknown) ColumnFacts.Unknown else ColumnFacts(values, known.nulls)
      }
    }
  }

  private def image(
      range: Option[Range],
      monotone: MonotoneFunctions.Monotone,
      ofOperand: Expression,
      ordering: Ordering[Any]
  ): Values =
    range.filter(r => monotone.holdsOn(r.min, r.max)).flatMap { r =>
      for {
        atMin <- valueAt(ofOperand, r.min)
        atMax <- valueAt(ofOperand, r.max)
        (low, high) = if (monotone.direction == MonotoneFunctions.Rising) (atMin, atMax) else (atMax, atMin)
        if ordering.lteq(low, high) // otherwise it has overflowed between the ends
      } yield Range(low, high)
    }.getOrElse(Values.Unknown)

  private def valueAt(e: Expression, point: Any): Option[Any] =
    try if (work.spend(1)) Option(e.eval(InternalRow(point))) else None
    catch { case NonFatal(_) => None }

  /** The facts about the first child that is not null. */
  private def coalesce(
      children: Seq[RowUnit => ColumnFacts],
      ordering: Ordering[Any]
  ): RowUnit => ColumnFacts =
    unit =>
      children.map(_(unit)).foldRight(ColumnFacts.AllNull) { (first, rest) =>
        if (!first.canBeNull) first
        else if (!first.canBeValue) rest
        else first.withoutNulls.union(rest, ordering)
      }
}
