package limitpruning.predicate

import java.time.{Instant, ZoneId}
import java.time.zone.ZoneRules

import org.apache.spark.sql.catalyst.util.DateTimeUtils

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
