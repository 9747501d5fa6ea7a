package limitpruning.testing

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import limitpruning.predicate.{Evaluator, LeafColumn}

/** Evaluators over top-level columns. */
object Evaluators {

  /** The evaluator of one predicate, with the columns numbered as in `columns`. */
  def evaluator(predicate: Expression, columns: Seq[Attribute]): Evaluator =
    new Evaluator(Seq(predicate), columns.map(column))

  def column(attribute: Attribute): LeafColumn = LeafColumn(attribute, Nil, attribute.dataType)
}
