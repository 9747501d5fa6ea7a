package limitpruning.search

import limitpruning.predicate.{ColumnFacts, KeyOrder, MatchState, Values}
import limitpruning.select.Threshold

/**
 * The key values of rows, given facts about the first sort key in a unit of rows. A key value is a value of the key, or
 * null. The value that sorts first is the best. A row reaches a key value if it has this value or a better one.
 *
 * @param isNeverNull whether the predicate excludes rows in which the key is null
 */
private[search] final class KeyPlaces(order: KeyOrder, isNeverNull: Boolean) {

  /** The best key value that a row may have in the result; none if any value is possible. */
  def best(known: ColumnFacts): Option[Any] =
    order.best(if (isNeverNull && known.canBeValue) known.withoutNulls else known)

  /**
   * Numbers of rows of a fully matching unit, with the key values that these rows are certain to reach.
   *
   * @param rows number of rows of the unit, including deleted rows
   * @param nulls number of rows in which the key is null; none if it is not known
   * @param deleted number of deleted rows, which may be any rows of the unit
   * @param occurring a value that at least one row has; none if no such value is known
   */
  def certain(
      known: ColumnFacts,
      rows: Long,
      nulls: Option[Long],
      deleted: Long,
      occurring: Option[Any] = None
  ): Seq[(Any, Long)] = for {
    (place, all) <- withOne(occurring, ofAllRows(known, rows, nulls))
    inTable = all - deleted
    if inTable > 0
  } yield (place, inTable)

  /** The same rows, one of which has the value. It is counted with the rows that have a value, which come first. */
  private def withOne(occurring: Option[Any], rows: Seq[(Any, Long)]): Seq[(Any, Long)] =
    occurring.fold(rows)(value =>
      rows.headOption.toSeq.flatMap { case (place, all) =>
        Seq((value, 1L), (place, all - 1))
      } ++ rows.drop(1)
    )

  /**
   * The key values of a file or of a row group.
   *
   * @param state whether its rows match
   * @param known the facts about the key
   * @param rows number of rows, including deleted rows
   * @param deleted at most so many of the rows are deleted; none if it is not known
   */
  def unit(state: MatchState, known: ManifestFacts, rows: Long, deleted: Option[Long]): KeyUnit = {
    val counted =
      if (state != MatchState.FullyMatching) Nil
      else deleted.toSeq.flatMap(certain(known.known, rows, known.nullCount, _))
    KeyUnit(state != MatchState.NotMatching, best(known.known), counted)
  }

  private def ofAllRows(known: ColumnFacts, rows: Long, nulls: Option[Long]): Seq[(Any, Long)] =
    nulls.filter(count => count > 0 && count < rows && known.values != Values.Unknown) match {
      case Some(count) => order.worstValue(known).map(_ -> (rows - count)).toSeq :+ ((null, count))
      case None => order.worst(known).map(_ -> rows).toSeq
    }
}

/**
 * Rows that are read or skipped together.
 *
 * @param best the best key value that one of the rows may have in the result; none if any value is possible
 * @param certain numbers of rows in the result, unless better ones are, with the key values that they certainly reach
 */
private[search] final case class KeyUnit(mayMatch: Boolean, best: Option[Any], certain: Seq[(Any, Long)]) {

  /** Whether none of the rows can be among the first rows. */
  def isSkipped(threshold: Threshold): Boolean = !mayMatch || threshold.excludes(best)
}
