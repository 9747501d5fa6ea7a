package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.{Finite, Range}
import limitpruning.testing.Evaluators.column

class OperandsSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val b = AttributeReference("b", IntegerType)()
  private val absent = AttributeReference("absent", IntegerType)()
  private val flag = AttributeReference("flag", BooleanType)()

  private def long(min: Int, max: Int, nulls: Nulls = Nulls.No) = ColumnFacts(Range(min, max), nulls)

  /** @param condition the outcomes of the conditions of IF and CASE */
  private def facts(
      e: Expression,
      condition: Outcomes = Outcomes.Any
  )(of: (Attribute, ColumnFacts)*): ColumnFacts = {
    val ordinals = of.map(_._1).zipWithIndex.map { case (attribute, i) => column(attribute).id -> i }.toMap
    new Operands(ordinals, _ => _ => condition).facts(e)(i => of(i)._2)
  }

  test("should return the facts of a literal, including null, and of a column by its number") {
    assert(facts(Literal(7))() == ColumnFacts.constant(7))
    assert(facts(Literal(null, IntegerType))() == ColumnFacts.AllNull)
    assert(facts(b)(a -> long(1, 5), b -> long(600, 900)) == long(600, 900))
  }

  test("should return no facts for a column that the unit does not have, nor for expressions over it") {
    for (e <- Seq(absent, Add(absent, Literal(1)), Coalesce(Seq(absent, a))))
      assert(facts(e)(a -> long(1, 5, Nulls.Unknown)) == ColumnFacts.Unknown, e)
  }

  test("line 22: should return no facts for expressions that are not deterministic, whatever their form") {
    val random = Cast(Multiply(Rand(Literal(1L)), Literal(10.0)), IntegerType)
    for (e <- Seq[Expression](random, Add(random, Literal(1)), Coalesce(Seq(random, a)), If(flag, random, a)))
      assert(facts(e)(a -> long(1, 1)) == ColumnFacts.Unknown, e)
  }

  test("should return no facts for types without an order, even if there are few values") {
    val array = CreateArray(Seq(a))
    assert(facts(array)(a -> long(1, 1)) == ColumnFacts.Unknown)
    val lower = Cast(a, StringType("UTF8_LCASE"))
    assert(facts(lower)(a -> long(1, 1)) == ColumnFacts.Unknown)
  }

  test("should evaluate expressions over few values for every combination, without duplicates") {
    val product = facts(Multiply(a, b))(a -> long(1, 2), b -> long(2, 4))
    val Finite(values) = product.values: @unchecked
    assert(values.toSet == Set(2, 3, 4, 6, 8) && values.size == 5 && product.nulls == Nulls.No)
  }

  test("should find nulls among the results, because a function may give null for a value") {
    val quotient = TryEval(IntegralDivide(Literal(6L), Cast(a, LongType)))
    assert(facts(quotient)(a -> long(0, 2)) == ColumnFacts(Finite(Seq(6L, 3L)), Nulls.Unknown))
    assert(facts(quotient)(a -> long(0, 0)) == ColumnFacts.AllNull)
    assert(facts(quotient)(a -> long(1, 1, Nulls.Unknown)) == ColumnFacts(Finite(Seq(6L)), Nulls.Unknown))
  }

  test("should limit a monotone function by its values at both ends, with the nulls of the operand") {
    for (nulls <- Seq(Nulls.No, Nulls.Unknown)) {
      assert(facts(Add(a, Literal(5)))(a -> long(0, 1000, nulls)) == long(5, 1005, nulls))
      assert(facts(Subtract(Literal(5), a))(a -> long(0, 1000, nulls)) == long(-995, 5, nulls))
    }
    assert(facts(Year(DateAdd(Literal(0, DateType), a)))(a -> long(0, 1000)) == ColumnFacts.Unknown)
  }

  test("line 2: should be all null if the operand is, because there is no value to compute") {
    assert(facts(Add(a, Literal(5)))(a -> ColumnFacts.AllNull) == ColumnFacts.AllNull)
  }

  test("line 24: should return no facts if an end fails or wraps around, with ANSI or without") {
    def sum(mode: EvalMode.Value) = Add(a, Literal(10), NumericEvalContext(mode))
    for (mode <- Seq(EvalMode.ANSI, EvalMode.LEGACY, EvalMode.TRY)) {
      assert(facts(sum(mode))(a -> long(0, Int.MaxValue)) == ColumnFacts.Unknown, mode)
      assert(facts(sum(mode))(a -> long(0, Int.MaxValue - 10)) == long(10, Int.MaxValue), mode)
    }
  }

  test("line 7: should return the facts of the first child of COALESCE that is not null") {
    def coalesced(first: ColumnFacts, second: ColumnFacts) =
      facts(Coalesce(Seq(a, b)))(a -> first, b -> second)
    assert(coalesced(long(0, 500), long(900, 1900)) == long(0, 500))
    assert(coalesced(long(0, 500, Nulls.Unknown), long(900, 1900)) == long(0, 1900))
    assert(coalesced(ColumnFacts.AllNull, long(900, 1900)) == long(900, 1900))
    assert(coalesced(long(0, 500, Nulls.Unknown), long(900, 1900, Nulls.Unknown)) ==
      long(0, 1900, Nulls.Unknown))
    assert(coalesced(long(0, 500, Nulls.Unknown), ColumnFacts.Unknown) == ColumnFacts.Unknown)
    assert(coalesced(ColumnFacts.AllNull, ColumnFacts.AllNull) == ColumnFacts.AllNull)
  }

  test("should return the facts of the branches of IF and CASE that can be taken") {
    val unit = Seq(a -> long(0, 500), b -> long(900, 1900))
    val choice = If(EqualTo(a, b), a, b)
    assert(facts(choice, Outcomes.True)(unit: _*) == long(0, 500))
    assert(facts(choice, Outcomes.NotTrue)(unit: _*) == long(900, 1900), "null takes the other branch")
    assert(facts(choice, Outcomes.Any)(unit: _*) == long(0, 1900))
    val withoutElse = CaseWhen(Seq(EqualTo(a, b) -> a))
    assert(facts(withoutElse, Outcomes.Any)(unit: _*) == long(0, 500, Nulls.Unknown))
    assert(facts(withoutElse, Outcomes.False)(unit: _*) == ColumnFacts.AllNull)
  }

  test("should return no facts for a function without a rule over many values") {
    val text = AttributeReference("s", StringType)()
    val range = ColumnFacts(Range(UTF8String.fromString("a"), UTF8String.fromString("z")), Nulls.No)
    assert(facts(Length(text))(text -> range) == ColumnFacts.Unknown)
    assert(facts(Abs(a))(a -> long(-500, 500)) == ColumnFacts.Unknown)
  }
}
