package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DoubleType, IntegerType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.evaluator

class LiteralListSuite extends AnyFunSuite {
  private val int = AttributeReference("int", IntegerType)()
  private val double = AttributeReference("d", DoubleType)()

  private def outcomes(predicate: Expression, min: Any, max: Any): Outcomes =
    evaluator(predicate, predicate.references.toSeq).outcomes(_ => ColumnFacts(Range(min, max), Nulls.No))

  test("lists in both of Catalyst's forms are searched") {
    def bothForms(elements: Int*): Seq[Expression] =
      Seq(In(int, elements.map(Literal(_))), InSet(int, elements.toSet))
    for (list <- bothForms(4, 1000)) assert(outcomes(list, 5, 900) == Outcomes.False, list)
    for (list <- bothForms(5, 6)) assert(outcomes(list, 5, 900) == Outcomes.TrueOrFalse, list)
  }

  test("floats in a set are unknown: Java's equality distinguishes -0.0 from 0.0") {
    assert(outcomes(InSet(double, Set(-0.0)), 0.0, 0.0) == Outcomes.Any)
    assert(outcomes(In(double, Seq(Literal(-0.0))), 0.0, 0.0) == Outcomes.True)
  }

  test("a list with an element that is not a literal, or has another type, is not matched") {
    val other = AttributeReference("other", IntegerType)()
    assert(LiteralList.unapply(In(int, Seq(Literal(4), other))).isEmpty)
    assert(LiteralList.unapply(In(int, Seq(Literal(4L)))).isEmpty)
    assert(LiteralList.unapply(In(int, Seq(Literal(4)))).contains((int, Seq(4))))
  }
}
