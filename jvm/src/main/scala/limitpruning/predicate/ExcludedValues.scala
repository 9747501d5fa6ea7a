package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.{ExprId, Expression, Literal}

/**
 * What a unit excludes by other means than facts, such as a bloom filter: where no row has any of the values that a column
 * is looked for, it is not found.
 *
 * @param columns the unit's number of each column
 */
private[predicate] final class ExcludedValues(columns: Map[(ExprId, Seq[String]), Int]) {
  import ExcludedValues._

  /** @param byFacts the outcomes of `column IN (values)` from facts alone */
  def ofList(column: Expression, values: Iterable[Any], byFacts: RowUnit => Outcomes): RowUnit => Outcomes =
    Column.unapply(column).flatMap(c => columns.get(c.id)) match {
      case Some(ordinal) if values.size <= MostValues =>
        val wanted = values.filter(_ != null)
        unit => {
          val outcomes = byFacts(unit)
          if (outcomes.canBeTrue && wanted.forall(unit.excludes(ordinal, _)))
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

  /** Longer lists are not looked for: of so many values, even a good filter takes one to be there by mistake. */
  private val MostValues = 1000
}
