package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.{CaseWhen, Expression, If, Literal}

/** IF, CASE and COALESCE, for conditions and for values alike: what is known is what is known of the branches taken. */
private[predicate] object Branches {

  /** The branches in the order in which they are tried, and what is taken where no condition is true. */
  def unapply(e: Expression): Option[(Seq[(Expression, Expression)], Expression)] = e match {
    case choice: If => Some((Seq(choice.predicate -> choice.trueValue), choice.falseValue))
    case choice: CaseWhen => Some((choice.branches, choice.elseValue.getOrElse(Literal(null, e.dataType))))
    case _ => None
  }

  /** @param union what holds where either of two branches is taken */
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
