package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.{CaseWhen, ExprId, Expression, If, Literal}

/**
 * IF, CASE and COALESCE, for conditions and for values. The facts are those of the branches that can be
 * taken.
 */
private[predicate] object Branches {

  /** The branches in the order of evaluation, and the result if no condition is true. */
  def unapply(e: Expression): Option[(Seq[(Expression, Expression)], Expression)] = e match {
    case choice: If => Some((Seq(choice.predicate -> choice.trueValue), choice.falseValue))
    case choice: CaseWhen => Some((choice.branches, choice.elseValue.getOrElse(Literal(null, e.dataType))))
    case _ => None
  }

  /** @param union combines the results of two branches if either of them may be taken */
  def choose[T](
      branches: Seq[(RowUnit => Outcomes, RowUnit => T)],
      otherwise: RowUnit => T,
      union: (T, T) => T
  ): RowUnit => T =
    branches.foldRight(otherwise) { case ((condition, value), rest) =>
      unit => {
        val outcomes = condition(unit)
        if (!outcomes.canBeTrue) rest(unit)
        else if (outcomes.isOnlyTrue) value(unit)
        else union(value(unit), rest(unit))
      }
    }

  /** COALESCE of conditions. */
  def firstNotNull(children: Seq[RowUnit => Outcomes]): RowUnit => Outcomes = unit =>
    children.map(_(unit)).foldRight(Outcomes.Null) { (first, rest) =>
      if (first.canBeNull) first.withoutNull.union(rest) else first
    }
}

/**
 * Values that a unit excludes by another source than facts, such as a bloom filter. If no row has any of the
 * values to which a column is compared, the comparison is not true.
 *
 * @param columns the unit's number of each column
 * @param work what may be looked up
 */
private[predicate] final class ExcludedValues(columns: Map[(ExprId, Seq[String]), Int], work: Work) {
  import ExcludedValues._

  /** @param byFacts the outcomes of `column IN (values)` from facts alone */
  def ofList(column: Expression, values: Iterable[Any], byFacts: RowUnit => Outcomes): RowUnit => Outcomes =
    LeafColumn.unapply(column).flatMap(c => columns.get(c.id)) match {
      case Some(ordinal) if values.size <= MostValues =>
        val wanted = values.filter(_ != null)
        unit => {
          val outcomes = byFacts(unit)
          if (outcomes.canBeTrue && wanted.forall(value => work.spend(1) && unit.excludes(ordinal, value)))
            outcomes.intersect(Outcomes.NotTrue)
          else outcomes
        }
      case _ => byFacts
    }

  /** @param byFacts the outcomes of `left = right` or `left <=> right` from facts alone */
  def ofEquality(left: Expression, right: Expression, byFacts: RowUnit => Outcomes): RowUnit => Outcomes =
    (left, right) match {
      case (column, Literal(value, _)) if value != null => ofList(column, Seq(value), byFacts)
      case (Literal(value, _), column) if value != null => ofList(column, Seq(value), byFacts)
      case _ => byFacts
    }
}

private object ExcludedValues {

  /**
   * The maximum length of a list whose values are looked up. With longer lists, even a good filter is likely
   * to report a false positive for at least one value.
   */
  private val MostValues = 1000
}
