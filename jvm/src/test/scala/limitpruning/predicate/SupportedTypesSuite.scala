package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.{EqualTo, LessThan, Literal}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class SupportedTypesSuite extends AnyFunSuite {

  test("types without an order of their own are not supported") {
    val refused = Seq(
      ArrayType(IntegerType),
      MapType(StringType, IntegerType),
      new StructType().add("a", IntegerType),
      CalendarIntervalType,
      DayTimeIntervalType(),
      YearMonthIntervalType(),
      NullType,
      VariantType
    )
    assert(refused.filter(SupportedTypes.contains) == Nil)
  }

  test("strings with another collation, which does not order them by bytes, are not supported") {
    assert(SupportedTypes.contains(StringType))
    assert(!SupportedTypes.contains(StringType("UTF8_LCASE")))
    assert(!SupportedTypes.contains(StringType("UNICODE_CI")))
  }

  test("CHAR and VARCHAR columns, whose values Spark pads or checks, are not supported") {
    assert(!SupportedTypes.contains(CharType(5)))
    assert(!SupportedTypes.contains(VarcharType(5)))
  }

  for (sample <- SampleTypes.all)
    test(s"the ordering of ${sample.dataType.sql} is that of Spark's operators") {
      assert(SupportedTypes.contains(sample.dataType))
      val ordering = SupportedTypes.ordering(sample.dataType)
      for (a <- sample.values; b <- sample.values) {
        val (left, right) = (Literal(a, sample.dataType), Literal(b, sample.dataType))
        assert(ordering.lt(a, b) == LessThan(left, right).eval(), s"for $left < $right")
        assert(ordering.equiv(a, b) == EqualTo(left, right).eval(), s"for $left = $right")
      }
    }
}
