package limitpruning.predicate

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen

/** Functions of one column: the functions that count as monotone, at their edges, and others. */
object RandomFunctions {

  /**
   * Time zones in which clocks are or were set back across midnight, in which they never change, and in which
   * a whole day was skipped.
   */
  private val zones =
    Seq("America/St_Johns", "UTC", "America/Havana", "Pacific/Apia", "Asia/Kathmandu").map(Some(_))

  /** A comparison of a function of `column` with one of its values. */
  def comparison(column: AttributeReference): Gen[Expression] = for {
    isAnsi <- Gen.oneOf(true, false)
    function <- Gen.oneOf(functions(column, isAnsi))
    operator <- Gen.oneOf[(Expression, Expression) => Expression](
      EqualTo(_, _),
      LessThan(_, _),
      LessThanOrEqual(_, _),
      GreaterThan(_, _),
      GreaterThanOrEqual(_, _)
    )
    value <- Gen.oneOf(valuesOf(function, column))
  } yield operator(function, Literal(value, function.dataType))

  private def valuesOf(function: Expression, column: AttributeReference): Seq[Any] = {
    val bound = BindReferences.bindReference(function, Seq(column))
    SampleTypes.of(column.dataType).values.flatMap(v => Try(bound.eval(InternalRow(v))).toOption).distinct :+
      null
  }

  private def functions(c: AttributeReference, isAnsi: Boolean): Seq[Expression] = {
    val conf = new SQLConf
    conf.setConf(SQLConf.ANSI_ENABLED, isAnsi)
    SQLConf.withExistingConf(conf)(functions(c))
  }

  private def functions(c: AttributeReference): Seq[Expression] = c.dataType match {
    case IntegerType | LongType | ShortType | ByteType =>
      val (one, factors) = (typed(1, c.dataType), Seq(3, -3, 0, 127).map(typed(_, c.dataType)))
      Seq(Add(c, one), Add(one, c), Subtract(c, one), Subtract(one, c), UnaryMinus(c), Abs(c)) ++
        factors.map(Multiply(c, _)) ++ factors.map(Multiply(_, c)) ++
        Seq(LongType, DoubleType, FloatType, DecimalType(20, 2), DecimalType(4, 0)).map(Cast(c, _)) ++
        Seq(Round(c, Literal(-1)), Pmod(c, typed(7, c.dataType)), Cast(Add(c, one), DoubleType))
    case FloatType | DoubleType =>
      val numbers = Seq(1.5, -2.0, 0.0, Double.NaN, Double.PositiveInfinity).map(typed(_, c.dataType))
      numbers.flatMap(n => Seq(Add(c, n), Subtract(c, n), Subtract(n, c), Multiply(c, n))) ++
        Seq(UnaryMinus(c), Cast(c, DoubleType), Floor(Cast(c, DoubleType)), Ceil(Cast(c, DoubleType)), Abs(c))
    case d: DecimalType =>
      val two = Literal(Decimal(BigDecimal(2), d.precision, d.scale), d)
      Seq(
        Add(c, two),
        Subtract(two, c),
        Multiply(c, two),
        UnaryMinus(c),
        Floor(c),
        Ceil(c),
        Round(c, Literal(1))
      ) ++
        Seq(
          Cast(c, DoubleType),
          Cast(c, DecimalType(6, 1)),
          Cast(c, DecimalType(38, 18)),
          BRound(c, Literal(0))
        )
    case StringType =>
      Seq(0, 1, 3, -1, 6).map(n => Substring(c, Literal(1), Literal(n))) ++
        Seq(Substring(c, Literal(2), Literal(2)), Upper(c), Length(c), Coalesce(Seq(c, text("Alpine"))))
    case DateType =>
      Seq("MM", "YEAR", "WEEK", "QUARTER", "nothing").map(unit => TruncDate(c, text(unit))) ++
        Seq(1, -1, Int.MaxValue, Int.MinValue).flatMap(n =>
          Seq(DateAdd(c, Literal(n)), DateSub(c, Literal(n)))
        ) ++
        zones.map(Cast(c, TimestampType, _)) ++ Seq(Year(c), Month(c), UnixDate(c), Cast(c, TimestampNTZType))
    case TimestampType =>
      zones.flatMap { zone =>
        Seq("YEAR", "DAY", "WEEK", "HOUR", "MINUTE").map(unit => TruncTimestamp(text(unit), c, zone)) ++
          Seq(Cast(c, DateType, zone), Year(Cast(c, DateType, zone)), Hour(c, zone))
      } ++ Seq(UnixSeconds(c), UnixMillis(c), UnixMicros(c), Cast(c, LongType, Some("UTC")))
    case _ => Seq(Coalesce(Seq(c, Literal(SampleTypes.of(c.dataType).values.head, c.dataType))))
  }

  private def typed(value: Any, dataType: DataType): Literal =
    Literal(Cast(Literal(value), dataType, None, EvalMode.LEGACY).eval(), dataType)

  private def text(value: String): Literal = Literal(UTF8String.fromString(value), StringType)
}
