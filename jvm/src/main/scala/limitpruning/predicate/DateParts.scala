package limitpruning.predicate

import java.time.{LocalDate, YearMonth}
import java.time.DayOfWeek.{MONDAY, SUNDAY}
import java.time.temporal.{ChronoUnit, IsoFields}
import java.time.temporal.TemporalAdjusters.previousOrSame

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DateType, TimestampNTZType, TimestampType}

import limitpruning.predicate.MonotoneFunctions.{Monotone, Rising}

/**
 * The parts of dates and times, such as month and hour. A part rises within the unit that contains it: a month within
 * its year, an hour within its day. So it counts as monotone only over ranges with both ends in the same unit.
 */
private[predicate] object DateParts {

  // One line for each expression. Each line needs a test that tries to break it.
  def unapply(e: Expression): Option[Monotone] = e match {
    case part: YearOfWeek => ofDate(part.child)(_ => true) // the year of a later week is never earlier
    case part: Quarter => ofDate(part.child)(_.getYear)
    case part: Month => ofDate(part.child)(_.getYear)
    case part: DayOfYear => ofDate(part.child)(_.getYear)
    case part: DayOfMonth => ofDate(part.child)(YearMonth.from(_))
    case part: WeekOfYear => ofDate(part.child)(_.get(IsoFields.WEEK_BASED_YEAR))
    case part: WeekDay => ofDate(part.child)(_.`with`(previousOrSame(MONDAY)))
    case part: DayOfWeek => ofDate(part.child)(_.`with`(previousOrSame(SUNDAY)))
    case part: Hour => ofTime(part.child, part.timeZoneId, ChronoUnit.DAYS)
    case part: Minute => ofTime(part.child, part.timeZoneId, ChronoUnit.HOURS)
    case part: Second => ofTime(part.child, part.timeZoneId, ChronoUnit.MINUTES)
    case part: SecondWithFraction => ofTime(part.child, part.timeZoneId, ChronoUnit.MINUTES)
    case _ => None
  }

  /** @param unit what is the same for all dates in which the part rises */
  private def ofDate(date: Expression)(unit: LocalDate => Any): Option[Monotone] =
    if (date.dataType != DateType) None
    else
      Some(Monotone(
        date,
        Rising,
        {
          case (from: Int, to: Int) => unit(LocalDate.ofEpochDay(from)) == unit(LocalDate.ofEpochDay(to))
          case _ => false
        }
      ))

  /** @param unit the unit of local time in which the part rises */
  private def ofTime(time: Expression, timeZoneId: Option[String], unit: ChronoUnit): Option[Monotone] =
    (time.dataType match {
      case TimestampType => timeZoneId
      case TimestampNTZType => Some("UTC") // Spark computes its parts as those of an instant in UTC
      case _ => None
    }).map { zone =>
      val (areInOrder, local) = (LocalDates.timesNeverGoBack(Some(zone)), LocalDates.at(zone))
      Monotone(
        time,
        Rising,
        {
          case (from: Long, to: Long) =>
            local(from).truncatedTo(unit) == local(to).truncatedTo(unit) && areInOrder(from, to)
          case _ => false
        }
      )
    }
}
