package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.{And, CaseWhen, Coalesce, Expression, If, Or}

/** Finds predicates that no facts can prove to be true for every row, so that no metadata are read for them. */
object Unprovable {

  /**
   * The obstacle to the proof of a predicate; none if a proof is possible.
   *
   * @param mayHaveFacts whether anything can be known about a column
   */
  def obstacle(conjuncts: Seq[Expression], mayHaveFacts: LeafColumn => Boolean): Option[Obstacle] =
    conjuncts.iterator.flatMap(ofConjunct(_, mayHaveFacts)).find(_ => true)

  private def ofConjunct(conjunct: Expression, mayHaveFacts: LeafColumn => Boolean): Option[Obstacle] =
    conjunct match {
      case And(left, right) => ofConjunct(left, mayHaveFacts).orElse(ofConjunct(right, mayHaveFacts))
      case Or(left, right) => ofConjunct(left, mayHaveFacts).flatMap(_ => ofConjunct(right, mayHaveFacts))
      case other =>
        val columns = LeafColumn.in(other).toIndexedSeq
        val isUnknown = columns.nonEmpty && !columns.exists(mayHaveFacts)
        if (isUnknown || isOpaque(other)) {
          val nothing: RowUnit = _ => ColumnFacts.Unknown
          new Evaluator(Seq(other), columns).obstacle(nothing)
        } else None
    }

  /** Whether only Spark can evaluate the expression, and no part of it decides it alone. */
  private def isOpaque(e: Expression): Boolean = FiniteEvaluation.obstacle(e).nonEmpty && !e.exists {
    case _: And | _: Or | _: If | _: CaseWhen | _: Coalesce => true
    case _ => false
  }
}
