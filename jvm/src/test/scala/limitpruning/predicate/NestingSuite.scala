package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators

class NestingSuite extends AnyFunSuite {
  private val c = AttributeReference("c", IntegerType)()

  private def sum(levels: Int): Expression = (1 to levels).foldLeft[Expression](c)((e, _) =>
    Add(e, Literal(1))
  )

  private def outcomes(predicate: Expression, values: Values): Outcomes =
    Evaluators.evaluator(predicate, Seq(c)).outcomes(new RowUnit {
      override def facts(ordinal: Int): ColumnFacts = ColumnFacts(values, Nulls.No)
    })

  test("counts the levels below the topmost, without recursion") {
    assert(!Nesting.isDeeper(c, 1) && Nesting.isDeeper(c, 0))
    assert(Nesting.isDeeper(sum(10), 10) && !Nesting.isDeeper(sum(10), 11))
    assert(Nesting.isDeeper(sum(200000), 199999))
  }

  test("the maximum depth is the one that docs/reasons.md states") {
    assert(Nesting.Deepest == 1000)
  }

  test("operands of AND, OR and NOT are proved by rules up to a depth, and evaluated beyond it") {
    val wide = Range(0, 1000000)
    assert(outcomes(GreaterThan(sum(48), Literal(0)), wide) == Outcomes.True)
    assert(outcomes(GreaterThan(sum(49), Literal(0)), wide) == Outcomes.Any)
    assert(outcomes(GreaterThan(sum(200), Literal(0)), Range(7, 9)) == Outcomes.True)
  }

  test("AND, OR and NOT are proved by rules at any depth") {
    val chain = (1 to 300).foldLeft[Expression](GreaterThan(c, Literal(5))) { (e, i) =>
      Not(Or(Not(e), EqualTo(c, Literal(-i))))
    }
    assert(outcomes(chain, Range(6, 1000000)) == Outcomes.True)
    assert(outcomes(chain, Range(5, 1000000)) == Outcomes.TrueOrFalse)
  }
}
