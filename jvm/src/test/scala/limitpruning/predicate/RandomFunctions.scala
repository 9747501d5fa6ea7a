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
   * Time zones in which clocks are or were set back across midnight or within a day, in which they never change,
   * and in which a whole day was skipped.
   */
  private val zones =
    Seq("America/St_Johns", "America/New_York", "UTC", "Pacific/Apia", "Asia/Kathmandu").map(Some(_))

  /** A comparison of a function of `column` with one of its values. */
  def comparison(column: AttributeReference): Gen[Expression] = for {
    isAnsi <- Gen.oneOf(true, false)
    // As often each kind of function, however many arguments it has here.
    function <- Gen.oneOf(functions(column, isAnsi).groupBy(_.getClass).values.toSeq).flatMap(Gen.oneOf(_))
    operator <- Gen.oneOf(operators ++ (if (function.dataType == StringType) Seq(StartsWith(_, _)) else Nil))
    value <- Gen.oneOf(valuesOf(function, column))
  } yield operator(function, Literal(value, function.dataType))

  private val operators: Seq[(Expression, Expression) => Expression] = Seq(
    EqualTo(_, _),
    LessThan(_, _),
    LessThanOrEqual(_, _),
    GreaterThan(_, _),
    GreaterThanOrEqual(_, _)
  )

  private def valuesOf(function: Expression, column: AttributeReference): Seq[Any] = {
    val bound = BindReferences.bindReference(function, Seq(column))
    SampleTypes.of(column.dataType).values.flatMap(v => Try(bound.eval(InternalRow(v))).toOption).distinct :+
      null
  }

  /** Functions of a column, in ANSI mode or not. */
  def functions(c: AttributeReference, isAnsi: Boolean): Seq[Expression] = {
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
        Seq(Round(c, Literal(-1)), Pmod(c, typed(7, c.dataType)), Cast(Add(c, one), DoubleType)) ++
        Seq(2L, -1L, -3L, 0L).map(n => IntegralDivide(Cast(c, LongType), Literal(n))) ++
        Seq(2.0, -0.5, 0.0).map(n => Divide(Cast(c, DoubleType), Literal(n))) ++
        (if (c.dataType == LongType) formats.flatMap(f => zones.map(FromUnixTime(c, text(f), _))) else Nil)
    case FloatType | DoubleType =>
      val numbers = Seq(1.5, -2.0, 0.0, Double.NaN, Double.PositiveInfinity).map(typed(_, c.dataType))
      numbers.flatMap(n => Seq(Add(c, n), Subtract(c, n), Subtract(n, c), Multiply(c, n))) ++
        (if (c.dataType == DoubleType) numbers.map(Divide(c, _)) else Nil) ++
        Seq(UnaryMinus(c), Cast(c, DoubleType), Floor(Cast(c, DoubleType)), Ceil(Cast(c, DoubleType)), Abs(c))
    case d: DecimalType =>
      val two = Literal(Decimal(BigDecimal(2), d.precision, d.scale), d)
      Seq(
        Add(c, two),
        Subtract(two, c),
        Multiply(c, two),
        Divide(c, two),
        Divide(c, Literal(Decimal(BigDecimal(-7), d.precision, d.scale), d)),
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
        zones.map(Cast(c, TimestampType, _)) ++ Seq(UnixDate(c), Cast(c, TimestampNTZType)) ++ ofDate(c)
    case TimestampType =>
      zones.flatMap { zone =>
        Seq("YEAR", "DAY", "WEEK", "HOUR", "MINUTE").map(unit => TruncTimestamp(text(unit), c, zone)) ++
          Seq(Cast(c, DateType, zone), Cast(c, StringType, zone)) ++ ofDate(Cast(c, DateType, zone)) ++
          ofTime(c, zone) ++ formats.map(f => DateFormatClass(c, text(f), zone))
      } ++ Seq(UnixSeconds(c), UnixMillis(c), UnixMicros(c), Cast(c, LongType, Some("UTC")))
    case TimestampNTZType => Cast(c, StringType) +: ofTime(c, None)
    case _ => Seq(Coalesce(Seq(c, Literal(SampleTypes.of(c.dataType).values.head, c.dataType))))
  }

  private val formats =
    Seq("yyyy", "yyyy-MM", "yyyyMMdd", "yyyy/MM/dd'T'HH:mm:ss", "MM-dd", "yyyy-dd", "HH:mm")

  private def ofDate(date: Expression): Seq[Expression] =
    Seq(
      Year(date),
      YearOfWeek(date),
      Quarter(date),
      Month(date),
      WeekOfYear(date),
      DayOfYear(date),
      DayOfMonth(date),
      WeekDay(date),
      DayOfWeek(date),
      LastDay(date),
      Cast(date, StringType)
    ) ++ Seq(1, -12, Int.MaxValue).map(n => AddMonths(date, Literal(n))) ++
      Seq(0, 20000, Int.MinValue).map(Literal(_, DateType)).flatMap(d =>
        Seq(DateDiff(date, d), DateDiff(d, date))
      )

  private def ofTime(time: Expression, zone: Option[String]): Seq[Expression] =
    Seq(Hour(time, zone), Minute(time, zone), Second(time, zone), SecondWithFraction(time, zone))

  private def typed(value: Any, dataType: DataType): Literal =
    Literal(Cast(Literal(value), dataType, None, EvalMode.LEGACY).eval(), dataType)

  private def text(value: String): Literal = Literal(UTF8String.fromString(value), StringType)
}
