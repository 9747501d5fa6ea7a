package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{ColumnFacts, Obstacle, Values}
import limitpruning.search.KeyTuples.{Ends, Tuple}
import limitpruning.select.{ListedFile, MatchingRows, RowRange}

/**
 * The facts about the keys of groups in row groups; see [[KeyTuples]]. Not thread-safe.
 *
 * @param all the keys, over columns of the relation; `classify` must include the columns of [[KeyTuples.compared]] in
 *   `alsoNeeded`
 */
final class GroupKeys(all: Seq[Expression], classify: ClassifyRowGroups) extends KeysOfSearch {
  private val keys = new KeyTuples(all, classify.columns, classify.work)

  /** The keys as SQL. */
  val sql: String = keys.sql

  /** Orders of tuples; see [[KeyTuples.orders]]. */
  val orders: Seq[Ordering[Tuple]] = keys.orders

  /** The keys that are columns, by their ordinals in the classifier. */
  val plain: Seq[Int] = keys.plain

  override val columns: Seq[Int] = keys.columns

  /** The ends of the tuples in a file before its footer is read. */
  def ends(file: ListedFile): Ends = keys.ends(keys.facts(classify.beforeReading(file)))

  /** The ends of the tuples in a row group. */
  def ends(file: ClassifiedFile, rowGroup: Int): Ends = keys.ends(factsOf(file, rowGroup))

  /**
   * Rows of a row group, all of them proved to match, of which at least one is in the table and has a tuple between the
   * ends. If no key may be null, or if it is not known whether a row has no null, this is the first row: each row has such
   * a tuple. If rows of the file are deleted, these are more rows than are deleted; none if there are not so many.
   */
  def certain(file: ClassifiedFile, matching: MatchingRows): Option[(Ends, MatchingRows)] = {
    val known = factsOf(file, matching.ordinal)
    if (file.deletedRows > 0)
      if (matching.rows > file.deletedRows) Some((keys.ends(known), matching)) else None
    else
      someWithoutNulls(file, matching, known) match {
        case Some(withoutNulls) => Some((keys.ends(withoutNulls), matching))
        case None => Some((keys.ends(known), matching.copy(ranges = RowRange.take(matching.ranges, 1))))
      }
  }

  override def obstacle(file: ClassifiedFile, rowGroup: Int): Option[Obstacle] =
    factsOf(file, rowGroup).zip(keys.names).collectFirst {
      case (ColumnFacts(Values.Unknown, _), key) =>
        unlisted(file, rowGroup, classify).getOrElse(Obstacle.NoStatistics(key))
      case (ColumnFacts(Values.Range(_, max), _), key) if KeyFacts.isNaN(max) => Obstacle.PerhapsNaN(key)
    }.map(beyondDictionary(file, rowGroup, classify).getOrElse(_))

  private def factsOf(file: ClassifiedFile, rowGroup: Int): IndexedSeq[ColumnFacts] =
    if (file.isBelieved) keys.facts(file.known(rowGroup)) else keys.unknown

  /** The facts about rows in which no key is null, if all rows of a row group match and there are such rows. */
  private def someWithoutNulls(
      file: ClassifiedFile,
      matching: MatchingRows,
      known: IndexedSeq[ColumnFacts]
  ): Option[IndexedSeq[ColumnFacts]] = {
    val rows = file.footer.rowGroups(matching.ordinal).getRowCount
    if (matching.rows < rows) None
    else
      keys.withoutNulls(known, rows)(column =>
        file.facts.nullCounts(classify.columns(column))(matching.ordinal)
      )
  }
}
