package limitpruning.testing

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import limitpruning.predicate.{Column, Evaluator}

/** Evaluators over top-level columns. */
object Evaluators {

  /** The evaluator of one predicate, with the columns numbered as in `columns`. */
  def evaluator(predicate: Expression, columns: Seq[Attribute]): Evaluator =
    new Evaluator(Seq(predicate), columns.map(column))

  def column(attribute: Attribute): Column = Column(attribute, Nil, attribute.dataType)
}
