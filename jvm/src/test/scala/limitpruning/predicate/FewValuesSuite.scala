package limitpruning.predicate

import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.{Finite, Range}

class FewValuesSuite extends AnyFunSuite {

  private def values(values: Values, dataType: DataType, nulls: Nulls = Nulls.No): Option[Seq[Any]] = {
    val facts = ColumnFacts(values, nulls)
    val few = FewValues.of(facts, dataType)
    assert(FewValues.exist(facts, dataType) == few.nonEmpty)
    few
  }

  test("short ranges are enumerated in the type's own representation") {
    assert(values(Range(3, 5), IntegerType).contains(Seq(3, 4, 5)))
    assert(values(Range(3.toByte, 4.toByte), ByteType).contains(Seq(3.toByte, 4.toByte)))
    assert(values(Range(3.toShort, 4.toShort), ShortType).contains(Seq(3.toShort, 4.toShort)))
    assert(values(Range(3L, 4L), LongType).contains(Seq(3L, 4L)))
    assert(values(Range(Long.MaxValue - 1, Long.MaxValue), LongType).map(_.size).contains(2))
    assert(values(Range(19000, 19001), DateType).contains(Seq(19000, 19001)))
    assert(values(Range(false, true), BooleanType).contains(Seq(false, true)))
    assert(values(Range(true, true), BooleanType).contains(Seq(true)))
  }

  test("long ranges are not, however long") {
    assert(values(Range(0, 63), IntegerType).map(_.size).contains(64))
    assert(values(Range(0, 64), IntegerType).isEmpty)
    assert(values(Range(Int.MinValue, Int.MaxValue), IntegerType).isEmpty)
    assert(values(Range(Long.MinValue, Long.MaxValue), LongType).isEmpty)
    assert(values(Range(Long.MinValue, 10L), LongType).isEmpty)
  }

  test("a constant is one value, except for floats: NaN is above it, and -0.0 equals 0.0") {
    assert(values(Range(5L, 5L), TimestampType).contains(Seq(5L)))
    assert(values(Range(5L, 6L), TimestampType).isEmpty)
    assert(values(Range(0.0, 0.0), DoubleType).isEmpty && values(Range(0f, 0f), FloatType).isEmpty)
  }

  test("null is one of the values if it is not excluded") {
    assert(values(Finite(Seq(1, 2)), IntegerType, Nulls.Unknown).contains(Seq[Any](1, 2, null)))
    assert(values(Values.Empty, IntegerType, Nulls.All).contains(Seq(null)))
    assert(values(Values.Unknown, BooleanType, Nulls.Unknown).contains(Seq[Any](false, true, null)))
    assert(values(Values.Unknown, IntegerType, Nulls.Unknown).isEmpty)
  }
}
