package limitpruning.predicate

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * The expressions that are monotone in one operand, with the direction and the condition. If the operand is
 * within a range, the values of a monotone function are between its values at the two ends of the range.
 * Catalyst itself computes these two values.
 *
 * Each function here is monotone in Spark's ordering wherever it is defined. It also has two other
 * properties: it returns null only for null, and if it is defined at two points, it is defined between them.
 * If a function overflows and wraps around, its values at the two ends are in the wrong order. Products are
 * an exception: their condition excludes overflow. NaN is the greatest value, and each function keeps it the
 * greatest.
 */
object MonotoneFunctions {

  sealed trait Direction
  case object Rising extends Direction
  case object Falling extends Direction

  /**
   * @param operand the child that varies; all others are literals
   * @param holdsOn whether the function is monotone between these two values of the operand
   */
  final case class Monotone(
      operand: Expression,
      direction: Direction,
      holdsOn: (Any, Any) => Boolean = always
  )

  private[predicate] val always: (Any, Any) => Boolean = (_, _) => true

  // One line for each expression. Each line needs a test that tries to break it.
  def unapply(e: Expression): Option[Monotone] = e match {
    case cast: Cast if isMonotoneCast(cast.child.dataType, cast.dataType) => rising(cast.child)
    case cast: Cast if cast.child.dataType == TimestampType && cast.dataType == DateType =>
      Some(Monotone(cast.child, Rising, LocalDates.neverGoBack(cast.timeZoneId)))
    case known: KnownNotNull => rising(known.child)
    case year: Year if year.child.dataType == DateType => rising(year.child)
    case trunc: TruncDate if isLiteral(trunc.format) => Some(Monotone(trunc.date, Rising, endWithinYears))
    case trunc: TruncTimestamp if isLiteral(trunc.format) =>
      val holdsOn =
        if (truncatesWithinDay(trunc.format)) LocalDates.haveFixedOffset(trunc.timeZoneId)
        else LocalDates.neverGoBack(trunc.timeZoneId)
      Some(Monotone(trunc.timestamp, Rising, holdsOn))
    case add: DateAdd if isLiteral(add.days) => rising(add.startDate)
    case sub: DateSub if isLiteral(sub.days) => rising(sub.startDate)
    // A day that the month does not have becomes its last day. So the first of two days never becomes the later one.
    case add: AddMonths if isLiteral(add.numMonths) => rising(add.startDate)
    case last: LastDay => Some(Monotone(last.startDate, Rising, endWithinYears))
    case days: DateDiff if isLiteral(days.startDate) => rising(days.endDate)
    case days: DateDiff if isLiteral(days.endDate) => falling(days.startDate)
    case unix: UnixDate => rising(unix.child)
    case unix: UnixSeconds => rising(unix.child)
    case unix: UnixMillis => rising(unix.child)
    case unix: UnixMicros => rising(unix.child)
    case unix: UnixTimestamp if isInstant(unix.timeExp) => rising(unix.timeExp)
    case unix: ToUnixTimestamp if isInstant(unix.timeExp) => rising(unix.timeExp)
    case floor: Floor if isExact(floor.child) => rising(floor.child)
    case ceil: Ceil if isExact(ceil.child) => rising(ceil.child)
    case floor: RoundFloor if isExact(floor.child) && isLiteral(floor.scale) => rising(floor.child)
    case ceil: RoundCeil if isExact(ceil.child) && isLiteral(ceil.scale) => rising(ceil.child)
    case round: Round if isExact(round.child) && isLiteral(round.scale) => rising(round.child)
    case round: BRound if isExact(round.child) && isLiteral(round.scale) => rising(round.child)
    case minus: UnaryMinus if isExact(minus.child) => falling(minus.child)
    case add: Add if isFiniteNumber(add.right) => rising(add.left)
    case add: Add if isFiniteNumber(add.left) => rising(add.right)
    case sub: Subtract if isFiniteNumber(sub.right) => rising(sub.left)
    case sub: Subtract if isFiniteNumber(sub.left) && isExact(sub.right) => falling(sub.right)
    case product: Multiply if isFiniteNumber(product.right) => times(product.left, product.right)
    case product: Multiply if isFiniteNumber(product.left) => times(product.right, product.left)
    case quotient: Divide if isFiniteNumber(quotient.right) => over(quotient.left, quotient.right)
    case quotient: IntegralDivide if quotient.left.dataType == LongType && isFiniteNumber(quotient.right) =>
      div(quotient.left, quotient.right)
    case DateParts(part) => Some(part)
    case FormattedDates(text) => Some(text)
    case prefix: Substring
        if prefix.pos == Literal(1) && isLiteral(prefix.len) && prefix.dataType == StringType =>
      rising(prefix.str)
    case _ => None
  }

  private def rising(operand: Expression): Option[Monotone] = Some(Monotone(operand, Rising))
  private def falling(operand: Expression): Option[Monotone] = Some(Monotone(operand, Falling))

  private def isLiteral(e: Expression): Boolean = e.isInstanceOf[Literal]

  /**
   * Integers and decimals. They have no NaN, which the functions with this condition would not keep the
   * greatest value.
   */
  private def isExact(e: Expression): Boolean = isIntegral(e.dataType) || e.dataType.isInstanceOf[DecimalType]

  private def isIntegral(t: DataType): Boolean = t match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  private def isFloating(t: DataType): Boolean = t == FloatType || t == DoubleType

  private def isInstant(e: Expression): Boolean = e.dataType == TimestampType || e.dataType == DateType

  /**
   * Casts that widen and never fail. Casts between numbers may round. A cast of a date to a timestamp gives
   * its first instant.
   */
  private def isMonotoneCast(from: DataType, to: DataType): Boolean = (from, to) match {
    case (DateType, TimestampType | TimestampNTZType) => true
    case (TimestampType, LongType) => true // whole seconds, rounded down
    case (FloatType, DoubleType) => true
    case (_: DecimalType, _: DecimalType) | (_: DecimalType, FloatType | DoubleType) => true
    case (_, _: DecimalType) => isIntegral(from)
    case _ => isIntegral(from) && (isFloating(to) || (isIntegral(to) && from.defaultSize <= to.defaultSize))
  }

  /**
   * Whether no date of a range is in the first or last year that there is. There, the first or last day of a unit may
   * wrap around. Over a range of all dates, the ends are in order nevertheless.
   */
  private val endWithinYears: (Any, Any) => Boolean = {
    case (first: Int, last: Int) => first > Int.MinValue + 366 && last < Int.MaxValue - 366
    case _ => false
  }

  /**
   * Hours and smaller units are truncated by the offset at the instant. If the offset changes, the order can
   * be reversed.
   */
  private def truncatesWithinDay(format: Expression): Boolean = format match {
    case Literal(unit, StringType) if unit != null =>
      Set(
        "HOUR",
        "MINUTE",
        "SECOND",
        "MILLISECOND",
        "MICROSECOND"
      ).contains(unit.toString.toUpperCase(Locale.ROOT))
    case _ => true
  }

  private def isFiniteNumber(e: Expression): Boolean = e match {
    case Literal(value: Double, _) => !value.isNaN && !value.isInfinite
    case Literal(value: Float, _) => !value.isNaN && !value.isInfinite
    case Literal(value, _) => value != null && isExact(e)
    case _ => false
  }

  private def times(operand: Expression, literal: Expression): Option[Monotone] = {
    val factor = BigDecimal(literal.eval().toString)
    val fits =
      if (isIntegral(operand.dataType)) withoutOverflow(factor.toBigInt, operand.dataType) else always
    if (factor.signum > 0) Some(Monotone(operand, Rising, fits))
    else if (factor.signum < 0 && isExact(operand)) Some(Monotone(operand, Falling, fits))
    else None
  }

  /** Rounding to the digits of the result, also at first to those of Spark's division of decimals, keeps the order. */
  private def over(operand: Expression, literal: Expression): Option[Monotone] = operand.dataType match {
    case DoubleType | _: DecimalType =>
      signOf(literal) match {
        case 1 => rising(operand)
        case -1 => Some(Monotone(operand, Falling, withoutNaN))
        case _ => None
      }
    case _ => None
  }

  /** Division of integers, which rounds toward zero. The least integer, divided by -1, overflows. */
  private def div(operand: Expression, literal: Expression): Option[Monotone] = signOf(literal) match {
    case 1 => rising(operand)
    case -1 => Some(Monotone(operand, Falling, (low, _) => low != Long.MinValue))
    case _ => None
  }

  private def signOf(literal: Expression): Int = BigDecimal(literal.eval().toString).signum

  /** NaN is the greatest value, so it is the upper end of each range with it. */
  private val withoutNaN: (Any, Any) => Boolean = (_, high) =>
    high match {
      case number: Double => !number.isNaN
      case _ => true
    }

  /**
   * A product of integers may wrap around any number of times between the ends. Therefore neither end may
   * wrap.
   */
  private def withoutOverflow(factor: BigInt, dataType: DataType): (Any, Any) => Boolean = {
    val max = (BigInt(1) << (dataType.defaultSize * 8 - 1)) - 1
    (low, high) => Seq(low, high).forall(end => (BigInt(end.toString) * factor).abs <= max)
  }
}
