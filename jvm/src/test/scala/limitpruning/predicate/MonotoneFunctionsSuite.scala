package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.column

class MonotoneFunctionsSuite extends AnyFunSuite {
  private def of(dataType: DataType): AttributeReference = AttributeReference("c", dataType)()
  private val (int, long, double) = (of(IntegerType), of(LongType), of(DoubleType))
  private val (date, instant, text) = (of(DateType), of(TimestampType), of(StringType))
  private def string(value: String): Literal = Literal(UTF8String.fromString(value), StringType)

  /** The facts about a function over a range that is too long to enumerate. */
  private def image(function: Expression, min: Any, max: Any): Values = {
    val input = function.references.head
    val operands = new Operands(Map(column(input).id -> 0), _ => _ => Outcomes.Any)
    operands.facts(function)(_ => ColumnFacts(Range(min, max), Nulls.No)).values
  }

  private def legacy[T](body: => T): T = {
    val conf = new SQLConf
    conf.setConf(SQLConf.ANSI_ENABLED, false)
    SQLConf.withExistingConf(conf)(body)
  }

  test("a rising function keeps the order of the ends, a falling one reverses it") {
    assert(image(Add(int, Literal(5)), 0, 1000) == Range(5, 1005))
    assert(image(Subtract(Literal(5), int), 0, 1000) == Range(-995, 5))
    assert(image(UnaryMinus(int), 0, 1000) == Range(-1000, 0))
    assert(image(Multiply(int, Literal(-3)), 0, 1000) == Range(-3000, 0))
    assert(image(Cast(int, LongType), 0, 1000) == Range(0L, 1000L))
    assert(image(Year(date), 0, 1000) == Range(1970, 1972))
    assert(image(DateAdd(date, Literal(5)), 0, 1000) == Range(5, 1005))
    assert(image(DateSub(date, Literal(5)), 0, 1000) == Range(-5, 995))
    assert(image(UnixSeconds(instant), -1L, 1000000L) == Range(-1L, 1L))
  }

  test("line 24: if an end overflows, nothing is known, with ANSI on or off") {
    def overflowing: Seq[Expression] =
      Seq(
        Add(int, Literal(1)),
        UnaryMinus(Subtract(int, Literal(Int.MaxValue))),
        DateAdd(date, Literal(Int.MaxValue))
      )
    for (function <- overflowing ++ legacy(overflowing))
      assert(image(function, 0, Int.MaxValue) == Values.Unknown ||
        image(function, -9, Int.MaxValue) == Values.Unknown)
    assert(legacy(image(UnaryMinus(int), Int.MinValue, 0)) == Values.Unknown)
  }

  test("a product that wraps around between its ends does not count as rising") {
    // At both ends, the wrapped product is small and in order. Between them it is not.
    val function = legacy(Multiply(long, Literal(Long.MaxValue)))
    assert(image(function, 0L, 1000L) == Values.Unknown)
    assert(legacy(image(Multiply(int, Literal(1 << 20)), 0, 1 << 20)) == Values.Unknown)
  }

  test("line 10: a function that does not keep NaN the greatest value does not support floats") {
    val upToNaN = (0.0, Double.NaN)
    for (
      function <- Seq(
        UnaryMinus(double),
        Floor(double),
        Multiply(double, Literal(-1.0)),
        Multiply(double, Literal(0.0))
      )
    )
      assert(image(function, upToNaN._1, upToNaN._2) == Values.Unknown, function)
    image(Add(double, Literal(1.5)), 0.0, Double.NaN) match {
      case Range(min, max: Double) => assert(min == 1.5 && max.isNaN)
      case other => fail(other.toString)
    }
  }

  test("line 24: casts that are not monotone are unknown") {
    for (
      cast <- Seq(
        Cast(text, IntegerType),
        Cast(int, StringType),
        Cast(long, IntegerType),
        Cast(double, IntegerType)
      )
    )
      assert(MonotoneFunctions.unapply(cast).isEmpty, cast)
  }

  test("line 26: local dates are monotone only if no clock was set back across midnight") {
    val (before, after) =
      (
        1289088000000000L,
        1289174400000000L
      ) // 2010-11-07, when the clocks of St. John's went back from 00:01 to 23:01
    def toDate(zone: String) = image(Cast(instant, DateType, Some(zone)), before, after)
    assert(toDate("America/St_Johns") == Values.Unknown)
    assert(toDate("UTC") == Range(14920, 14921))
    assert(toDate("America/New_York") == Range(14919, 14920))
    assert(image(TruncTimestamp(string("HOUR"), instant, Some("America/New_York")), before, after) ==
      Values.Unknown)
    assert(image(TruncTimestamp(string("HOUR"), instant, Some("UTC")), before, after) != Values.Unknown)
  }

  test("a prefix of fixed length is monotone, a part from the middle is not") {
    val (ibex, sheep) = (UTF8String.fromString("Alpine Ibex"), UTF8String.fromString("Alpine Sheep"))
    val prefix = UTF8String.fromString("Alp")
    assert(image(Substring(text, Literal(1), Literal(3)), ibex, sheep) == Range(prefix, prefix))
    assert(MonotoneFunctions.unapply(Substring(text, Literal(2), Literal(3))).isEmpty)
  }
}
