package limitpruning.predicate

import org.apache.spark.sql.types.IntegerType
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ColumnFactsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  test("a constant is one value without nulls") {
    assert(ColumnFacts.constant(7) == ColumnFacts(Values.Finite(Seq(7)), Nulls.No))
  }

  test("a constant null is null in every row and never a value") {
    assert(ColumnFacts.constant(null) == ColumnFacts.AllNull)
    assert(ColumnFacts.AllNull.canBeNull && !ColumnFacts.AllNull.canBeValue)
  }

  test("nulls are excluded only if there are none") {
    val range = Values.Range(1, 2)
    assert(!ColumnFacts(range, Nulls.No).canBeNull)
    assert(ColumnFacts(range, Nulls.Unknown).canBeNull)
    assert(ColumnFacts(range, Nulls.All).canBeNull)
  }

  test("unknown facts exclude neither nulls nor values") {
    assert(ColumnFacts.Unknown.canBeNull && ColumnFacts.Unknown.canBeValue)
  }

  private val ordering = SupportedTypes.ordering(IntegerType)

  /** Facts that are true of the rows, and possibly of other rows. */
  private def factsOf(rows: Seq[Integer]): Gen[ColumnFacts] = {
    val values = rows.filter(_ != null).map(_.intValue)
    def range = for { below <- Gen.choose(0, 2); above <- Gen.choose(0, 2) } yield Values.Range(
      values.min - below,
      values.max + above
    )
    def finite = Gen.listOf(Gen.choose(0, 9)).map(more => Values.Finite((values ++ more).distinct))
    val nulls = if (values.size == rows.size) Nulls.No else if (values.isEmpty) Nulls.All else Nulls.Unknown
    for {
      v <- if (values.isEmpty) Gen.oneOf(Values.Empty, Values.Unknown)
      else Gen.oneOf(range, finite, Gen.const(Values.Unknown))
      n <- if (v == Values.Empty) Gen.const(nulls) else Gen.oneOf(nulls, Nulls.Unknown)
    } yield ColumnFacts(v, n)
  }

  private def isTrueOf(facts: ColumnFacts, row: Integer): Boolean =
    if (row == null) facts.canBeNull
    else facts.nulls != Nulls.All &&
    (facts.values match {
      case Values.Unknown => true
      case Values.Empty => false
      case Values.Range(min: Int, max: Int) => min <= row && row <= max
      case Values.Range(_, _) => false
      case Values.Finite(values) => values.contains(row)
    })

  private val rows: Gen[Seq[Integer]] =
    Gen.nonEmptyListOf(Gen.frequency(2 -> Gen.const(null), 5 -> Gen.choose(0, 9).map(Integer.valueOf)))

  test("the combination of two true facts is true, and at least as precise as either") {
    val cases = rows.flatMap(r => Gen.zip(Gen.const(r), factsOf(r), factsOf(r)))
    forAll(cases, minSuccessful(2000)) { case (rows, one, other) =>
      val both = one.and(other, ordering)
      assert(rows.forall(isTrueOf(both, _)), s"$one and $other")
      for (value <- -3 to 12; known <- Seq(one, other))
        assert(
          !isTrueOf(both, Integer.valueOf(value)) || isTrueOf(known, Integer.valueOf(value)),
          s"$one and $other"
        )
    }
  }

  test("all that is known of two facts is kept, also of rows that are all null") {
    val allNull = ColumnFacts(Values.Empty, Nulls.Unknown)
    assert(allNull.and(ColumnFacts.Unknown, ordering) == allNull)
  }

  test("the hull of a union has the values of both, and no others at its ends") {
    val (low, high) = (Values.Range(1, 3), Values.Range(5, 9))
    for (
      (one, other) <- Seq(low -> high, high -> low, high -> Values.Range(1, 10), Values.Range(1, 10) -> high)
    ) {
      val Values.Range(min: Int, max: Int) = one.union(other, ordering): @unchecked
      assert(min == 1 && max == (if (Seq(one, other).contains(low)) 9 else 10))
    }
    assert(Values.Finite(Seq(7, 2, 5)).hull(ordering).contains(Values.Range(2, 7)))
    assert(Values.Finite(Seq(7, 2, 5, 5)).and(
      Values.Range(3, 6),
      ordering
    ).contains(Values.Finite(Seq(5, 5))))
    assert(Values.Range(3, 4).and(Values.Finite(Seq(7, 2, 5)), ordering).isEmpty)
    assert(Values.Finite(Seq(7)).hull(ordering).contains(Values.Range(7, 7)))
    assert(Values.Finite(Seq(4, 2)).union(low, ordering) == Values.Range(1, 4))
    assert(Values.Unknown.hull(ordering).isEmpty && Values.Empty.hull(ordering).isEmpty)
  }

  test("if two facts contradict each other, nothing is known") {
    val contradictions = Seq(
      (Values.Range(1, 2), Nulls.No) -> ((Values.Range(3, 4), Nulls.No)),
      (Values.Finite(Seq(1, 2)), Nulls.No) -> ((Values.Range(3, 4), Nulls.No)),
      (Values.Finite(Seq(1, 2)), Nulls.No) -> ((Values.Finite(Seq(3)), Nulls.Unknown)),
      (Values.Unknown, Nulls.No) -> ((Values.Empty, Nulls.All)),
      (Values.Range(1, 2), Nulls.No) -> ((Values.Empty, Nulls.Unknown)),
      (Values.Range(1, 2), Nulls.No) -> ((Values.Empty, Nulls.All))
    )
    for (((v1, n1), (v2, n2)) <- contradictions) {
      val (one, other) = (ColumnFacts(v1, n1), ColumnFacts(v2, n2))
      assert(one.and(other, ordering) == ColumnFacts.Unknown)
      assert(other.and(one, ordering) == ColumnFacts.Unknown)
    }
  }
}
