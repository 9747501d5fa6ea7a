package limitpruning.predicate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{IntegerType, LongType, MapType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range
import limitpruning.testing.BruteForce

class ComparisonsSuite extends AnyFunSuite {
  private val ordering = SupportedTypes.ordering(IntegerType)
  private val compare = new Comparisons(ordering)
  private val left = AttributeReference("l", IntegerType)()
  private val right = AttributeReference("r", IntegerType)()

  // Wider than any range below, so that an unknown value may be on either side of each range.
  private val domain = -1 to 4

  private val everyFacts: Seq[ColumnFacts] = {
    val ranges = for (min <- 0 to 3; max <- min to 3) yield Range(min, max)
    val known = for (values <- ranges :+ Values.Unknown; nulls <- Seq(Nulls.No, Nulls.Unknown))
      yield ColumnFacts(values, nulls)
    known :+ ColumnFacts.AllNull
  }

  private def outcomesOf(operator: Expression, l: ColumnFacts, r: ColumnFacts): Outcomes = {
    val rows = for {
      a <- BruteForce.possible(l, domain, ordering)
      b <- BruteForce.possible(r, domain, ordering)
    } yield InternalRow(a, b)
    BruteForce.outcomesOf(operator, Seq(left, right), rows)
  }

  private def isExact(
      name: String,
      operator: Expression
  )(tested: (ColumnFacts, ColumnFacts) => Outcomes): Unit =
    test(s"$name has exactly the outcomes of all values that the facts allow") {
      for (l <- everyFacts; r <- everyFacts)
        assert(tested(l, r) == outcomesOf(operator, l, r), s"for $l $name $r")
    }

  isExact("<", LessThan(left, right))(compare.lessThan)
  isExact("<=", LessThanOrEqual(left, right))(compare.lessThanOrEqual)
  isExact("=", EqualTo(left, right))(compare.equalTo)
  isExact("<=>", EqualNullSafe(left, right))(compare.equalNullSafe)

  private def between(min: Int, max: Int): ColumnFacts = ColumnFacts(Range(min, max), Nulls.No)

  test("[1 3] < [4 5] is proved, [1 4] < [4 5] is not: the ends may be equal") {
    assert(compare.lessThan(between(1, 3), between(4, 5)) == Outcomes.True)
    assert(compare.lessThan(between(1, 4), between(4, 5)) == Outcomes.TrueOrFalse)
    assert(compare.lessThanOrEqual(between(1, 4), between(4, 5)) == Outcomes.True)
  }

  test("[4 5] < [1 4] is disproved, [3 5] < [1 4] is not") {
    assert(compare.lessThan(between(4, 5), between(1, 4)) == Outcomes.False)
    assert(compare.lessThan(between(3, 5), between(1, 4)) == Outcomes.TrueOrFalse)
  }

  test("[1 2] = [3 4] is disproved, [1 3] = [3 4] is not") {
    assert(compare.equalTo(between(1, 2), between(3, 4)) == Outcomes.False)
    assert(compare.equalTo(between(1, 3), between(3, 4)) == Outcomes.TrueOrFalse)
  }

  test("equality is proved only for the same single value, never for equal ranges") {
    assert(compare.equalTo(between(3, 3), between(3, 3)) == Outcomes.True)
    assert(compare.equalTo(between(3, 4), between(3, 4)) == Outcomes.TrueOrFalse)
    assert(compare.equalTo(between(3, 3), between(3, 4)) == Outcomes.TrueOrFalse)
  }

  test("operands of two types, or of a type without a known order, are never compared") {
    val long = AttributeReference("long", LongType)()
    val map = AttributeReference("map", MapType(IntegerType, IntegerType))()
    assert(Comparable.unapply(LessThan(left, long)).isEmpty && Comparable.unapply(EqualTo(map, map)).isEmpty)
    assert(Comparable.unapply(LessThan(left, right)).nonEmpty)
  }
}
