package limitpruning.predicate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class KeyOrderSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val orders = for {
    direction <- Seq(Ascending, Descending)
    nulls <- Seq(NullsFirst, NullsLast)
  } yield (direction, nulls)

  private def keyOf(dataType: DataType, direction: SortDirection, nulls: NullOrdering): SortOrder =
    SortOrder(BoundReference(0, dataType, nullable = true), direction, nulls, Nil)

  private val doubles: Gen[Any] =
    Gen.oneOf[Any](null, Double.NaN, -0.0, 0.0, 1.5, -2.0, Double.PositiveInfinity, Double.NegativeInfinity)

  for ((direction, nulls) <- orders)
    test(
      s"places are ordered as Spark sorts rows, NaN, signed zeros and nulls among them: $direction $nulls"
    ) {
      val key = keyOf(DoubleType, direction, nulls)
      val (ours, sparks) =
        (FirstKey.of(key).order, RowOrdering.create(Seq(key), Seq(AttributeReference("d", DoubleType)())))
      forAll(doubles, doubles, minSuccessful(200)) { (a, b) =>
        assert(math.signum(ours.compare(a, b)) == math.signum(sparks.compare(InternalRow(a), InternalRow(b))))
      }
    }

  /** Rows, and facts that are true of them: a range around the values, and the facts about nulls. */
  private val unit: Gen[(Seq[Any], ColumnFacts)] = for {
    values <- Gen.listOf(Gen.choose(0, 9))
    nulls <- Gen.choose(0, 2)
    isVague <- Gen.oneOf(true, false)
    isUnknown <- Gen.frequency(5 -> false, 1 -> true)
    slack <- Gen.choose(0, 2)
    if values.nonEmpty || nulls > 0
  } yield {
    val rows: Seq[Any] = values.map(value => value: Any) ++ Seq.fill[Any](nulls)(null)
    val range =
      if (isUnknown) Values.Unknown
      else if (values.isEmpty) Values.Empty
      else Values.Range(values.min - slack, values.max + slack)
    val known = if (values.isEmpty) Nulls.All else if (nulls == 0 && !isVague) Nulls.No else Nulls.Unknown
    (rows, ColumnFacts(range, known))
  }

  for ((direction, nulls) <- orders)
    test(s"no row is before the best place or behind the worst: $direction $nulls") {
      val order = FirstKey.of(keyOf(IntegerType, direction, nulls)).order
      forAll(unit, minSuccessful(300)) { case (rows, facts) =>
        assert(order.best(facts).forall(best => rows.forall(order.gteq(_, best))))
        assert(order.worst(facts).forall(worst => rows.forall(order.lteq(_, worst))))
        assert(order.worstValue(facts).forall(worst => rows.filter(_ != null).forall(order.lteq(_, worst))))
      }
    }

  private def order(direction: SortDirection, nulls: NullOrdering): KeyOrder =
    FirstKey.of(keyOf(IntegerType, direction, nulls)).order

  test("line 1: with an unknown null count, the end at which nulls sort is null") {
    val facts = ColumnFacts(Values.Range(3, 7), Nulls.Unknown)
    val (first, last) = (order(Ascending, NullsFirst), order(Ascending, NullsLast))
    assert(first.best(facts).contains(null) && first.worst(facts).contains(7))
    assert(last.best(facts).contains(3) && last.worst(facts).contains(null))
    assert(order(Descending, NullsLast).best(facts).contains(7))
    assert(last.worstValue(facts).contains(7))
  }

  test("if values are unknown, both ends are unknown, except the end at which nulls sort") {
    val facts = ColumnFacts(Values.Unknown, Nulls.No)
    assert(order(Ascending, NullsFirst).best(facts).isEmpty &&
      order(Ascending, NullsFirst).worst(facts).isEmpty)
    assert(order(Ascending, NullsFirst).best(ColumnFacts.Unknown).contains(null))
    assert(order(Descending, NullsLast).best(ColumnFacts.Unknown).isEmpty)
    assert(order(Descending, NullsLast).worst(ColumnFacts.AllNull).contains(null))
  }

  test("the key of an order is serialized as plain data") {
    val key = FirstKey.of(keyOf(IntegerType, Descending, NullsFirst))
    assert(key == FirstKey(IntegerType, isDescending = true, nullsFirst = true))
    assert(key.order.lt(9, 3) && key.order.lt(null, 9))
  }
}
