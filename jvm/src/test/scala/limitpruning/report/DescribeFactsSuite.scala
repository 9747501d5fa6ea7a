package limitpruning.report

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.types.{DataType, DateType, IntegerType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, Values}

class DescribeFactsSuite extends AnyFunSuite {
  private def describe(
      values: Values,
      nulls: Nulls,
      dataType: DataType = IntegerType,
      path: Seq[String] = Nil
  ): String =
    DescribeFacts(LeafColumn(AttributeReference("c", dataType)(), path, dataType), ColumnFacts(values, nulls))

  test("ranges, single values and few values") {
    assert(describe(Values.Range(1, 5), Nulls.No) == "c: 1 … 5, no nulls")
    assert(describe(Values.Range(5, 5), Nulls.Unknown) == "c: 5, may be null")
    assert(describe(Values.Finite(Seq(1, 3)), Nulls.No) == "c: 1 or 3, no nulls")
    assert(describe(Values.Finite(1 to 9), Nulls.No) == "c: one of 9 values, no nulls")
  }

  test("only nulls, and unknown facts") {
    assert(describe(Values.Empty, Nulls.All) == "c: null in every row")
    assert(describe(Values.Unknown, Nulls.Unknown) == "c: unknown")
    assert(describe(Values.Unknown, Nulls.No) == "c: no nulls")
  }

  test("strings are quoted and truncated, other values are not, and fields have the names of their structs") {
    val (a, b) = (UTF8String.fromString("it's"), UTF8String.fromString("x" * 100))
    val text = describe(Values.Range(a, b), Nulls.No, StringType, Seq("d"))
    assert(text.startsWith("c.d: 'it\\'s' … 'xxx") && text.endsWith("x…, no nulls") && text.length < 100)
    assert(describe(Values.Range(7L, 9L), Nulls.No, LongType) == "c: 7 … 9, no nulls")
    assert(describe(Values.Range(0, 1), Nulls.No, DateType) == "c: 1970-01-01 … 1970-01-02, no nulls")
  }
}
