package limitpruning.predicate

import java.time.LocalDate
import java.util.Locale
import java.util.regex.Pattern

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import limitpruning.predicate.MonotoneFunctions.{Monotone, Rising}

/**
 * Dates and times as strings. If the units follow each other from the year on, each with a fixed number of digits, the
 * strings are in the order of time. Years have four digits from 1 to 9999: before and after, they have a sign. Casts
 * omit zeros at the end of the fraction of a second, so of two strings the shorter one, which is less, is the earlier
 * one.
 *
 * All of these depend on the offset of the session's time zone. So local times, or dates, must not go back.
 */
private[predicate] object FormattedDates {

  // One line for each expression. Each line needs a test that tries to break it.
  def unapply(e: Expression): Option[Monotone] = e match {
    case _ if isLegacy => None
    case cast: Cast if cast.dataType == StringType =>
      cast.child.dataType match {
        case DateType => Some(Monotone(cast.child, Rising, areDatesOfFourDigits))
        case TimestampType => ofInstant(cast.child, cast.timeZoneId, LocalDates.timesNeverGoBack)
        case TimestampNTZType => ofInstant(cast.child, Some("UTC"), LocalDates.timesNeverGoBack)
        case _ => None
      }
    case text: DateFormatClass if text.left.dataType == TimestampType && text.dataType == StringType =>
      ordered(text.right).flatMap(ofInstant(text.left, text.timeZoneId, _))
    case text: FromUnixTime if text.sec.dataType == LongType && text.dataType == StringType =>
      ordered(text.format).flatMap(ofInstant(text.sec, text.timeZoneId, _)).map(ofSeconds)
    case _ => None
  }

  /** With the formatters of Spark 2, of another calendar, nothing is proved. */
  private def isLegacy: Boolean =
    SQLConf.get.getConfString("spark.sql.legacy.timeParserPolicy", "CORRECTED").toUpperCase(Locale.ROOT) ==
      "LEGACY"

  private val areDatesOfFourDigits: (Any, Any) => Boolean = {
    case (from: Int, to: Int) => from >= FirstDay && to <= LastDay
    case _ => false
  }

  private val FirstDay = LocalDate.of(1, 1, 1).toEpochDay
  private val LastDay = LocalDate.of(9999, 12, 31).toEpochDay

  private type Condition = Option[String] => (Any, Any) => Boolean

  /** Units in descending order, with separators between them that are no letters of the format. */
  private val Ordered = {
    val separator = "(?:[-/:._, ]*|'T')"
    val smaller =
      Seq("MM", "dd", "HH", "mm", "ss").foldRight("")((unit, rest) => s"(?:$separator$unit$rest)?")
    Pattern.compile(s"yyyy$smaller")
  }

  /** What must be in order for the strings of a format to be so; none if they may be in another order. */
  private def ordered(format: Expression): Option[Condition] = format match {
    case Literal(text: UTF8String, _) if Ordered.matcher(text.toString).matches() =>
      Some(if (text.toString.contains("HH")) LocalDates.timesNeverGoBack else LocalDates.neverGoBack)
    case _ => None
  }

  private def ofInstant(
      instant: Expression,
      timeZoneId: Option[String],
      areInOrder: Condition
  ): Option[Monotone] = timeZoneId.map { zone =>
    val (inOrder, local) = (areInOrder(timeZoneId), LocalDates.at(zone))
    Monotone(
      instant,
      Rising,
      {
        case (from: Long, to: Long) =>
          local(from).getYear >= 1 && local(to).getYear <= 9999 && inOrder(from, to)
        case _ => false
      }
    )
  }

  /** The same condition for seconds. Beyond the range of microseconds, Spark's conversion wraps around. */
  private def ofSeconds(ofMicros: Monotone): Monotone = Monotone(
    ofMicros.operand,
    Rising,
    {
      case (from: Long, to: Long) =>
        from >= -MostSeconds && to <= MostSeconds && ofMicros.holdsOn(from * 1000000L, to * 1000000L)
      case _ => false
    }
  )

  private val MostSeconds = Long.MaxValue / 1000000L
}
