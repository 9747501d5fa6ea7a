package limitpruning.predicate

import java.time.{Instant, LocalDateTime}
import java.time.zone.{ZoneOffsetTransition, ZoneRules}

import org.apache.spark.sql.catalyst.util.DateTimeUtils

/**
 * Checks whether a later instant can have an earlier local date, or an earlier local time. This happens if clocks are
 * set back: a date occurs twice only if they are set back across midnight.
 */
private[predicate] object LocalDates {

  /**
   * The maximum number of offset changes that are examined. If a range has more of them, nothing is proved.
   */
  private val MostTransitions = 1000

  /** @return whether local dates never decrease between two instants, in microseconds since the epoch */
  def neverGoBack(timeZoneId: Option[String]): (Any, Any) => Boolean = never(timeZoneId, setsDateBack)

  /** @return whether local dates with times never decrease between two instants, in microseconds since the epoch */
  def timesNeverGoBack(timeZoneId: Option[String]): (Any, Any) => Boolean = never(timeZoneId, _.isOverlap)

  /** @return whether the zone's offset never changes, so local time never decreases */
  def haveFixedOffset(timeZoneId: Option[String]): (Any, Any) => Boolean = {
    val isFixed = timeZoneId.exists(id => DateTimeUtils.getZoneId(id).getRules.isFixedOffset)
    (_, _) => isFixed
  }

  /** The local date and time of an instant, in microseconds since the epoch. */
  def at(timeZoneId: String): Long => LocalDateTime = {
    val zone = DateTimeUtils.getZoneId(timeZoneId)
    micros => LocalDateTime.ofInstant(DateTimeUtils.microsToInstant(micros), zone)
  }

  private def never(
      timeZoneId: Option[String],
      goesBack: ZoneOffsetTransition => Boolean
  ): (Any, Any) => Boolean = timeZoneId match {
    case None => (_, _) => false
    case Some(id) =>
      val rules = DateTimeUtils.getZoneId(id).getRules
      (low, high) =>
        (low, high) match {
          case (from: Long, to: Long) => rules.isFixedOffset || never(rules, from, to)(goesBack)
          case _ => false
        }
  }

  private def never(rules: ZoneRules, from: Long, to: Long)(
      goesBack: ZoneOffsetTransition => Boolean
  ): Boolean = {
    val end = DateTimeUtils.microsToInstant(to)
    val transitions = Iterator
      .iterate(next(rules, DateTimeUtils.microsToInstant(from)))(_.flatMap(t => next(rules, t.getInstant)))
      .map(_.filter(!_.getInstant.isAfter(end)))
      .takeWhile(_.nonEmpty)
      .flatten
      .take(MostTransitions)
      .toVector
    transitions.size < MostTransitions && !transitions.exists(goesBack)
  }

  private def setsDateBack(t: ZoneOffsetTransition): Boolean =
    t.isOverlap && t.getDateTimeBefore.minusNanos(1).toLocalDate.isAfter(t.getDateTimeAfter.toLocalDate)

  private def next(rules: ZoneRules, after: Instant) = Option(rules.nextTransition(after))
}
