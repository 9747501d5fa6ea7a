package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BooleanType, DoubleType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.evaluator

class BranchesSuite extends AnyFunSuite {
  private val c = AttributeReference("c", DoubleType)()
  private val flag = AttributeReference("flag", BooleanType)()

  private def outcomes(
      predicate: Expression,
      c: ColumnFacts,
      flag: ColumnFacts = ColumnFacts.Unknown
  ): Outcomes =
    evaluator(predicate, Seq(this.c, this.flag)).outcomes(Seq(c, flag)(_))

  private def between(min: Double, max: Double, nulls: Nulls = Nulls.No) = ColumnFacts(Range(min, max), nulls)
  private val positive = GreaterThan(c, Literal(0.0))

  test("only branches that can be taken count") {
    val choice = If(positive, GreaterThan(c, Literal(-5.0)), Literal.FalseLiteral)
    assert(outcomes(choice, between(1, 9)) == Outcomes.True)
    assert(outcomes(choice, between(-9, -1)) == Outcomes.False)
    assert(outcomes(choice, between(-9, 9)) == Outcomes.TrueOrFalse)
  }

  test("a condition that is null takes the other branch") {
    val choice = If(positive, Literal.FalseLiteral, Literal.TrueLiteral)
    assert(outcomes(choice, ColumnFacts.AllNull) == Outcomes.True)
    assert(outcomes(choice, between(1, 9, Nulls.Unknown)) == Outcomes.TrueOrFalse)
  }

  test("CASE without ELSE gives null; its values are facts like any other") {
    val value = CaseWhen(Seq((positive, c)), None)
    assert(outcomes(GreaterThan(value, Literal(0.0)), between(1, 9)) == Outcomes.True)
    assert(outcomes(IsNull(value), between(-9, -1)) == Outcomes.True)
    assert(outcomes(GreaterThan(value, Literal(0.0)), between(-9, 9)).canBeNull)
  }

  test("line 7: COALESCE is the first that is not null") {
    val orTen = Coalesce(Seq(c, Literal(10.0)))
    assert(outcomes(GreaterThan(orTen, Literal(0.0)), between(1, 9, Nulls.Unknown)) == Outcomes.True)
    assert(outcomes(GreaterThan(orTen, Literal(9.5)), between(1, 9, Nulls.Unknown)) == Outcomes.TrueOrFalse)
    assert(outcomes(GreaterThan(orTen, Literal(9.5)), between(1, 9)) == Outcomes.False)
    assert(outcomes(Coalesce(Seq(positive, Literal.FalseLiteral)), ColumnFacts.AllNull) == Outcomes.False)
    assert(outcomes(Coalesce(Seq(flag, Literal.TrueLiteral)), between(1, 9), ColumnFacts.AllNull) ==
      Outcomes.True)
  }

  test("COALESCE of conditions that are all null is null, so OR can still be true") {
    val flags = Coalesce(Seq(flag, flag))
    assert(outcomes(flags, between(1, 9), ColumnFacts.AllNull) == Outcomes.Null)
    assert(outcomes(Or(flags, positive), between(1, 9), ColumnFacts.AllNull) == Outcomes.True)
  }
}
