package limitpruning.predicate

import java.time.{Instant, ZoneId}
import java.time.zone.ZoneRules
import java.util.Locale

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._

/**
 * Which expressions are monotone in one operand, in which direction, and under which condition. Over a range of the
 * operand, a monotone function takes values between those at the two ends, which Catalyst itself computes.
 *
 * Besides being monotone in Spark's ordering wherever it is defined, a function here gives null for null only, and is
 * defined between two points where it is. What wraps around on overflow comes out with its ends in the wrong
 * order, except for products, which say so themselves. NaN is the greatest value, and has to stay it.
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

  private val always: (Any, Any) => Boolean = (_, _) => true

  // One line an expression. A line needs a test that tries to break it.
  def unapply(e: Expression): Option[Monotone] = e match {
    case cast: Cast if isMonotoneCast(cast.child.dataType, cast.dataType) => rising(cast.child)
    case cast: Cast if cast.child.dataType == TimestampType && cast.dataType == DateType =>
      Some(Monotone(cast.child, Rising, LocalDates.neverGoBack(cast.timeZoneId)))
    case known: KnownNotNull => rising(known.child)
    case year: Year if year.child.dataType == DateType => rising(year.child)
    case trunc: TruncDate if isLiteral(trunc.format) => rising(trunc.date)
    case trunc: TruncTimestamp if isLiteral(trunc.format) =>
      val holdsOn =
        if (truncatesWithinDay(trunc.format)) LocalDates.haveFixedOffset(trunc.timeZoneId)
        else LocalDates.neverGoBack(trunc.timeZoneId)
      Some(Monotone(trunc.timestamp, Rising, holdsOn))
    case add: DateAdd if isLiteral(add.days) => rising(add.startDate)
    case sub: DateSub if isLiteral(sub.days) => rising(sub.startDate)
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
    case prefix: Substring
        if prefix.pos == Literal(1) && isLiteral(prefix.len) && prefix.dataType == StringType =>
      rising(prefix.str)
    case _ => None
  }

  private def rising(operand: Expression): Option[Monotone] = Some(Monotone(operand, Rising))
  private def falling(operand: Expression): Option[Monotone] = Some(Monotone(operand, Falling))

  private def isLiteral(e: Expression): Boolean = e.isInstanceOf[Literal]

  /** Integers and decimals: no NaN, which the functions that take this would not keep on top. */
  private def isExact(e: Expression): Boolean = isIntegral(e.dataType) || e.dataType.isInstanceOf[DecimalType]

  private def isIntegral(t: DataType): Boolean = t match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  private def isFloating(t: DataType): Boolean = t == FloatType || t == DoubleType

  private def isInstant(e: Expression): Boolean = e.dataType == TimestampType || e.dataType == DateType

  /** Widening that never fails: between numbers also where it rounds, and from a day to its first instant. */
  private def isMonotoneCast(from: DataType, to: DataType): Boolean = (from, to) match {
    case (DateType, TimestampType | TimestampNTZType) => true
    case (TimestampType, LongType) => true // whole seconds, rounded down
    case (FloatType, DoubleType) => true
    case (_: DecimalType, _: DecimalType) | (_: DecimalType, FloatType | DoubleType) => true
    case (_, _: DecimalType) => isIntegral(from)
    case _ => isIntegral(from) && (isFloating(to) || (isIntegral(to) && from.defaultSize <= to.defaultSize))
  }

  /** Hours and less are cut by the offset at the instant, which a change of offset turns upside down. */
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

  /** A product of integers may wrap around any number of times between the ends, so neither end may wrap. */
  private def withoutOverflow(factor: BigInt, dataType: DataType): (Any, Any) => Boolean = {
    val max = (BigInt(1) << (dataType.defaultSize * 8 - 1)) - 1
    (low, high) => Seq(low, high).forall(end => (BigInt(end.toString) * factor).abs <= max)
  }
}

/** Whether a later instant can fall on an earlier local date: where clocks are set back across midnight. */
private[predicate] object LocalDates {

  /** Changes of offset that are examined at most; with more of them in a range, nothing is claimed. */
  private val MostTransitions = 1000

  /** @return whether local dates never go back between two instants, in microseconds since the epoch */
  def neverGoBack(timeZoneId: Option[String]): (Any, Any) => Boolean = timeZoneId match {
    case None => (_, _) => false
    case Some(id) =>
      val zone: ZoneId = DateTimeUtils.getZoneId(id)
      val rules = zone.getRules
      (low, high) =>
        (low, high) match {
          case (from: Long, to: Long) => rules.isFixedOffset || neverGoBack(rules, from, to)
          case _ => false
        }
  }

  /** @return whether the zone's offset is always the same, so that local time never goes back at all */
  def haveFixedOffset(timeZoneId: Option[String]): (Any, Any) => Boolean = {
    val isFixed = timeZoneId.exists(id => DateTimeUtils.getZoneId(id).getRules.isFixedOffset)
    (_, _) => isFixed
  }

  private def neverGoBack(rules: ZoneRules, from: Long, to: Long): Boolean = {
    val end = DateTimeUtils.microsToInstant(to)
    val transitions = Iterator
      .iterate(next(rules, DateTimeUtils.microsToInstant(from)))(_.flatMap(t => next(rules, t.getInstant)))
      .map(_.filter(!_.getInstant.isAfter(end)))
      .takeWhile(_.nonEmpty)
      .flatten
      .take(MostTransitions)
      .toSeq
    transitions.size < MostTransitions && transitions.forall { t =>
      !t.isOverlap || !t.getDateTimeBefore.minusNanos(1).toLocalDate.isAfter(t.getDateTimeAfter.toLocalDate)
    }
  }

  private def next(rules: ZoneRules, after: Instant) = Option(rules.nextTransition(after))
}
