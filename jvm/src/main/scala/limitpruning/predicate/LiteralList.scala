package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DoubleType, FloatType}

/** `value IN (literals)`, in either of Catalyst's forms. */
private[predicate] object LiteralList {
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
