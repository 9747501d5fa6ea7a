package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Expectation.{EachValue, ShortRange}
import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.{column, evaluator}

class EvaluatorSuite extends AnyFunSuite {
  private val int = AttributeReference("int", IntegerType)()
  private val other = AttributeReference("other", IntegerType)()
  private val text = AttributeReference("text", StringType)()
  private val flag = AttributeReference("flag", BooleanType)()
  private val columns = IndexedSeq(int, other, text, flag)

  /** int is 5 … 9, other 10 … 20, text Alpine Goat … Alpine Sheep, flag true; no nulls anywhere. */
  private val facts: IndexedSeq[ColumnFacts] = IndexedSeq(
    Range(5, 9),
    Range(10, 20),
    Range(UTF8String.fromString("Alpine Goat"), UTF8String.fromString("Alpine Sheep")),
    Range(true, true)
  ).map(ColumnFacts(_, Nulls.No))

  private def outcomes(predicate: Expression): Outcomes = evaluator(predicate, columns).outcomes(facts(_))
  private def string(value: String): Literal = Literal(UTF8String.fromString(value), StringType)

  private def proves(predicates: Expression*): Unit =
    for (p <- predicates) {
      assert(outcomes(p) == Outcomes.True, s"for ${p.sql}")
      assert(outcomes(Not(p)) == Outcomes.False, s"for NOT ${p.sql}")
    }

  private def leavesOpen(predicates: Expression*): Unit =
    for (p <- predicates) assert(MatchState.of(outcomes(p)) == MatchState.PartiallyMatching, s"for ${p.sql}")

  test("comparisons with literals are proved with the column on either side") {
    proves(GreaterThan(int, Literal(4)), GreaterThanOrEqual(int, Literal(5)), LessThan(int, Literal(10)))
    proves(
      LessThanOrEqual(int, Literal(9)),
      Not(EqualTo(int, Literal(4))),
      Not(EqualNullSafe(int, Literal(10)))
    )
    proves(LessThan(Literal(4), int), LessThanOrEqual(Literal(5), int), GreaterThan(Literal(10), int))
    proves(GreaterThanOrEqual(Literal(9), int))
  }

  test("comparisons at the ends of the range are not decided") {
    leavesOpen(GreaterThan(int, Literal(5)), LessThan(int, Literal(9)), EqualTo(int, Literal(5)))
    leavesOpen(LessThan(Literal(5), int), EqualNullSafe(int, Literal(9)), Not(EqualTo(int, Literal(9))))
  }

  test("two columns are compared by their ranges") {
    proves(LessThan(int, other), GreaterThan(other, int), Not(EqualTo(int, other)))
    assert(!outcomes(LessThan(int, int)).canBeTrue, "of the same few values, one by one")
  }

  test("a list with an element that is not a literal is evaluated for all combinations of few values") {
    assert(outcomes(In(int, Seq(Literal(4), other))) == Outcomes.False)
  }

  test("LIKE 'Alpine%' AND int >= 5, as in the case study") {
    proves(And(StartsWith(text, string("Alpine")), GreaterThanOrEqual(int, Literal(5))))
    assert(outcomes(StartsWith(text, string("Brown"))) == Outcomes.False)
  }

  test("a conjunct is expected to stay open if it is open at the ends of what may become known") {
    val wide = IndexedSeq(Range(1, 100000), Range(1, 100000)).map(ColumnFacts(_, Nulls.No))
    def mayBeDecided(
        e: Expression,
        facts: IndexedSeq[ColumnFacts] = wide
    )(values: Int*)(ranges: Int*): Boolean =
      evaluator(e, columns).mayBeDecided(facts(_)) { column =>
        if (values.contains(column)) Some(EachValue)
        else if (ranges.contains(column)) Some(ShortRange) else None
      }
    val mixed = Not(EqualTo(BitwiseAnd(int, other), Literal(7)))
    for ((values, ranges) <- Seq((Seq(0), Nil), (Nil, Nil), (Seq(1), Seq(0)), (Nil, Seq(0, 1))))
      assert(!mayBeDecided(mixed)(values: _*)(ranges: _*), (values, ranges))
    assert(mayBeDecided(mixed)(0, 1)())
    val any = wide.updated(0, ColumnFacts.Unknown)
    assert(mayBeDecided(mixed, any)(0)() && !mayBeDecided(mixed, any)(1)(), "it may have any values")
    val both = Or(EqualTo(int, Literal(7)), EqualTo(other, Literal(8)))
    assert(!mayBeDecided(both)(0)() && mayBeDecided(both)(0, 1)() && mayBeDecided(both)()(0, 1))
    assert(mayBeDecided(Or(GreaterThan(int, Literal(9)), EqualTo(other, Literal(8))))(0)(), "at the greatest")
    assert(mayBeDecided(Or(LessThan(int, Literal(9)), EqualTo(other, Literal(8))))(0)(), "at the least")
    assert(mayBeDecided(LessThan(int, other))()(0, 1) && mayBeDecided(LessThan(other, int))()(0, 1))
    assert(!mayBeDecided(EqualTo(int, AttributeReference("else", IntegerType)()))(0)())
    assert(mayBeDecided(EqualTo(int, Literal(7)))(0)() && mayBeDecided(EqualTo(int, Literal(7)))()(0))
    assert(mayBeDecided(EqualTo(BitwiseNot(int), Literal(7)))()(0), "a page may have one value")
    val odd = EqualTo(BitwiseAnd(other, Literal(1)), Literal(1))
    assert(mayBeDecided(Or(EqualTo(int, Literal(500)), odd))()(0, 1), "a page in the middle decides one part")
    val narrow = IndexedSeq(Range(0, 900), Range(0, 900)).map(ColumnFacts(_, Nulls.No))
    assert(mayBeDecided(LessThan(int, other), narrow)()(0, 1), "pages have a part of the range")
    val one = wide.updated(1, ColumnFacts.constant(7))
    assert(mayBeDecided(mixed, one)(0)() && mayBeDecided(mixed, one)()(0), "one column is known")
    val largest = wide.updated(0, ColumnFacts(Range(Int.MinValue, Int.MaxValue), Nulls.No))
    assert(mayBeDecided(LessThan(int, other), largest)()(0, 1))
  }

  test("boolean columns and literals are predicates") {
    proves(flag, Literal.TrueLiteral, EqualTo(flag, Literal.TrueLiteral))
    assert(outcomes(Literal(null, BooleanType)) == Outcomes.Null)
  }

  test("a column that is not in the input is unknown") {
    assert(outcomes(IsNull(AttributeReference("else", IntegerType)())) == Outcomes.TrueOrFalse)
  }

  test("operands of two types are never compared") {
    assert(outcomes(EqualTo(int, Literal(7L))) == Outcomes.Any)
  }

  test("a prefix that is not a literal, or is null, is unknown") {
    leavesOpen(StartsWith(text, text), StartsWith(text, Literal(null, StringType)))
  }

  test("COALESCE of predicates is null only if the last one can be") {
    val wide = IndexedSeq(ColumnFacts(Range(0, 1000), Nulls.Unknown), ColumnFacts(Range(0, 1000), Nulls.No))
    def over(e: Expression) = evaluator(e, IndexedSeq(int, other)).outcomes(wide(_))
    val positive = GreaterThanOrEqual(int, Literal(0))
    assert(over(Coalesce(Seq(positive, Literal.FalseLiteral))) == Outcomes.TrueOrFalse)
    assert(over(Coalesce(Seq(positive, GreaterThanOrEqual(other, Literal(0))))) == Outcomes.True)
  }

  test("a prefix is not looked for where the order is not that of bytes") {
    val collated = StringType("UTF8_LCASE")
    val of = AttributeReference("of", collated)()
    val names = Range(UTF8String.fromString("alpine goat"), UTF8String.fromString("alpine sheep"))
    def over(prefix: String) =
      evaluator(StartsWith(of, Literal(UTF8String.fromString(prefix), collated)), IndexedSeq(of))
        .outcomes(_ => ColumnFacts(names, Nulls.No))
    assert(Seq("Alpine", "alpine", "brown").map(over).forall(o => o.canBeTrue && o.canBeFalse))
  }

  test("the columns of a conjunct are undecided unless it holds for every row") {
    val holds = GreaterThan(int, Literal(4))
    val open = And(LessThan(other, Literal(15)), EqualTo(flag, Literal.TrueLiteral))
    val random = LessThan(Add(Cast(int, DoubleType), Rand(Literal(1L))), Literal(0.5))
    val never = GreaterThan(int, Literal(9))
    val several = new Evaluator(Seq(holds, open, random, never), columns.map(column))
    assert(several.undecided(facts(_)) == Seq(Seq(1, 3), Nil, Seq(0)))
    assert(several.neverTrue(facts(_)).contains(never))
    assert(several.obstacle(facts(_)).exists(_.isInstanceOf[Obstacle.Undecided]))
    val proved = new Evaluator(Seq(holds), columns.map(column))
    assert(proved.undecided(facts(_)).isEmpty)
    assert(proved.neverTrue(facts(_)).isEmpty)
    assert(proved.obstacle(facts(_)).isEmpty)
  }
}
