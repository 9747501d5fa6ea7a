package limitpruning.parquet

import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{MessageTypeParser, Type}
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, Nulls, Values}
import limitpruning.predicate.Values.Range

class ChunkFactsSuite extends AnyFunSuite {
  private val plain = ColumnChunk(rows = 10, values = 10, Some(0L), Some((1, 5)), mayBeCut = false)

  private def facts(chunk: ColumnChunk, spark: DataType = IntegerType, field: String = "optional int32 c") = {
    val column = MessageTypeParser.parseMessageType(s"message m { $field; }").getType(0).asPrimitiveType
    val isRequired = (column: Type).isRepetition(Repetition.REQUIRED)
    new ChunkFacts(spark, column, isRequired, Calendar(isProleptic = true))(chunk)
  }

  test("line 1: a null count of 0 excludes nulls, a missing one does not") {
    assert(facts(plain) == ColumnFacts(Range(1, 5), Nulls.No))
    assert(facts(plain.copy(nullCount = Some(1))) == ColumnFacts(Range(1, 5), Nulls.Unknown))
    assert(facts(plain.copy(nullCount = None)) == ColumnFacts(Range(1, 5), Nulls.Unknown))
  }

  test("line 6: as many nulls as rows mean that all rows are null, missing min and max do not") {
    assert(facts(plain.copy(nullCount = Some(10), minMax = None)) == ColumnFacts.AllNull)
    assert(facts(plain.copy(nullCount = None, minMax = None)) == ColumnFacts.Unknown)
    assert(facts(plain.copy(nullCount = Some(0), minMax = None)) == ColumnFacts(Values.Unknown, Nulls.No))
    assert(facts(plain.copy(nullCount = Some(9), minMax = None)) == ColumnFacts.Unknown)
  }

  test("line 44: null counts that contradict the rows, min and max, or each other are unknown") {
    assert(facts(plain.copy(nullCount = Some(-1))) == ColumnFacts.Unknown)
    assert(facts(plain.copy(nullCount = Some(11))) == ColumnFacts.Unknown)
    assert(facts(plain.copy(nullCount = Some(20), minMax = None)) == ColumnFacts.Unknown)
    assert(facts(plain.copy(nullCount = Some(10))) == ColumnFacts.Unknown)
  }

  test("line 50: a chunk with another number of values than its row group has rows is unknown") {
    assert(facts(plain.copy(values = 9)) == ColumnFacts.Unknown)
    assert(facts(plain.copy(values = 11)) == ColumnFacts.Unknown)
  }

  test("a required column has no nulls, even without a null count; nulls in it are a contradiction") {
    val required = "required int32 c"
    assert(facts(plain.copy(nullCount = None), field = required) == ColumnFacts(Range(1, 5), Nulls.No))
    val silent = plain.copy(nullCount = None, minMax = None)
    assert(facts(silent, field = required) == ColumnFacts(Values.Unknown, Nulls.No))
    assert(facts(plain.copy(nullCount = Some(1)), field = required) == ColumnFacts.Unknown)
  }

  test("min and max in the wrong order are unknown") {
    assert(facts(plain.copy(minMax = Some((5, 1)))) == ColumnFacts(Values.Unknown, Nulls.No))
  }

  test("line 79: min and max of unsigned integers are right in either order, or unknown") {
    val edges = Seq(0, 1, 5, 255, 256, Int.MaxValue, Int.MinValue, Int.MinValue + 1, -5, -1)
    val signed = Ordering.Int
    val unsigned: Ordering[Int] = (a, b) => Integer.compareUnsigned(a, b)
    for (values <- edges.combinations(1) ++ edges.combinations(2) ++ edges.combinations(3)) {
      val asRead = values.map(Integer.toUnsignedLong)
      def range(order: Ordering[Int]) = facts(
        plain.copy(minMax = Some((values.min(order), values.max(order)))),
        LongType,
        "optional int32 c (INTEGER(32,false))"
      ).values
      assert(range(unsigned) == Range(asRead.min, asRead.max), values)
      range(signed) match {
        case Range(min: Long, max: Long) => assert(min == asRead.min && max == asRead.max, values)
        case other => assert(other == Values.Unknown, values)
      }
    }
  }

  test("line 14: equal min and max prove a single value only if they cannot be truncated") {
    val a = Binary.fromString("A")
    def strings(mayBeCut: Boolean, max: Binary) =
      facts(
        plain.copy(minMax = Some((a, max)), mayBeCut = mayBeCut),
        StringType,
        "optional binary c (STRING)"
      )
    val exactly = UTF8String.fromString("A")
    assert(strings(mayBeCut = false, a).values == Range(exactly, exactly))
    assert(strings(mayBeCut = true, a).values == Values.Unknown)
    assert(strings(mayBeCut = true, Binary.fromString("B")).values ==
      Range(exactly, UTF8String.fromString("B")))
  }

  test("line 10: a double is never known to be below NaN") {
    val ones = facts(plain.copy(minMax = Some((1.0, 1.0))), DoubleType, "optional double c")
    val reachesNaN = ones.values match {
      case Range(1.0, max: Double) => max.isNaN
      case _ => false
    }
    assert(reachesNaN, ones)
  }

  test("line 17: types without usable min and max still have null counts") {
    val int96 = facts(plain.copy(minMax = None), TimestampType, "optional int96 c")
    assert(int96 == ColumnFacts(Values.Unknown, Nulls.No))
  }

  test(
    "a decimal that may not fit its precision, and so read as null, excludes nulls only with known bounds"
  ) {
    def decimals(max: Int) =
      facts(plain.copy(minMax = Some((0, max))), DecimalType(5, 2), "optional int32 c (DECIMAL(5,2))")
    assert(decimals(99999).nulls == Nulls.No)
    assert(decimals(100000) == ColumnFacts.Unknown)
    val absent = facts(plain.copy(minMax = None), DecimalType(5, 2), "required int32 c (DECIMAL(5,2))")
    assert(absent == ColumnFacts.Unknown)
  }
}
