package limitpruning.predicate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, In, Literal}
import org.apache.spark.sql.types.DoubleType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range
import limitpruning.testing.BruteForce

class MembershipSuite extends AnyFunSuite {
  private val ordering = SupportedTypes.ordering(DoubleType)
  private val column = AttributeReference("c", DoubleType)()

  // Halves are between the whole numbers of lists and ranges. Therefore a range with two ends contains a
  // value that no list contains.
  private val domain = BigDecimal(-1).to(BigDecimal(5), BigDecimal("0.5")).map(_.toDouble)
  private val wholes = Seq(0.0, 1.0, 2.0, 3.0)

  private val everyFacts: Seq[ColumnFacts] = {
    val ranges = for (min <- wholes; max <- wholes if min <= max) yield Range(min, max)
    val known = for (values <- ranges :+ Values.Unknown; nulls <- Seq(Nulls.No, Nulls.Unknown))
      yield ColumnFacts(values, nulls)
    known :+ ColumnFacts.AllNull
  }

  private def isExact(elements: Seq[Any]): Unit = {
    val membership = new Membership(elements, ordering)
    val predicate = In(column, elements.map(Literal(_, DoubleType)))
    for (facts <- everyFacts) {
      val rows = BruteForce.possible(facts, domain, ordering).map(InternalRow(_))
      val expected = BruteForce.outcomesOf(predicate, Seq(column), rows)
      assert(membership.outcomes(facts) == expected, s"for $facts IN $elements")
    }
  }

  test("a list has exactly the outcomes of all values that the facts allow") {
    wholes.toSet.subsets().filter(_.nonEmpty).foreach(list => isExact(list.toSeq))
  }

  test("so has a list with a null, where a value that is not in it gives null") {
    wholes.toSet.subsets().filter(_.nonEmpty).foreach(list => isExact(list.toSeq :+ null))
  }

  test("a list of only null is never true for a known range, and never false") {
    val membership = new Membership(Seq(null), ordering)
    for (facts <- everyFacts if facts.values != Values.Unknown)
      assert(membership.outcomes(facts) == Outcomes.Null, s"for $facts IN (NULL)")
    assert(!membership.outcomes(ColumnFacts.Unknown).canBeFalse)
  }

  test("an empty list contains nothing: in Spark, not even null IN () is null") {
    for (facts <- everyFacts) {
      val outcomes = new Membership(Nil, ordering).outcomes(facts)
      val rows = BruteForce.possible(facts, domain, ordering).map(InternalRow(_))
      val real = BruteForce.outcomesOf(In(column, Nil), Seq(column), rows)
      assert(BruteForce.contains(outcomes, real), s"for $facts IN ()")
      assert(!outcomes.canBeTrue && outcomes.canBeFalse)
      assert(outcomes.canBeNull == facts.canBeNull, s"for $facts IN (), as in Spark's legacy behavior")
    }
  }

  test("an element at either end of the range counts, one just outside does not") {
    val facts = ColumnFacts(Range(1.0, 2.0), Nulls.No)
    def in(elements: Any*): Outcomes = new Membership(elements, ordering).outcomes(facts)
    assert(in(1.0) == Outcomes.TrueOrFalse)
    assert(in(2.0) == Outcomes.TrueOrFalse)
    assert(in(0.5, 2.5) == Outcomes.False)
  }

  test("the order and the repetition of elements do not matter") {
    val facts = ColumnFacts(Range(2.0, 2.0), Nulls.No)
    assert(new Membership(Seq(3.0, 2.0, 1.0, 2.0), ordering).outcomes(facts) == Outcomes.True)
    assert(new Membership(Seq(9.0, 3.0, 1.0, 3.0), ordering).outcomes(facts) == Outcomes.False)
  }
}
