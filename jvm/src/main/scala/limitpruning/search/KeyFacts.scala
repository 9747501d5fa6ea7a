package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, Literal, SortOrder}

import limitpruning.predicate.{
  ColumnFacts, Evaluator, FirstKey, KeyOrder, LeafColumn, MonotoneFunctions, Obstacle, RowUnit, Values
}
import limitpruning.select.ListedFile

/**
 * The facts about the first sort key in row groups: the best key value that a row may have, and how many rows are
 * certain to reach which key value. A key value is a value of the key, or null. The value that sorts first is the best.
 * A row reaches a key value if it has this value or a better one. Not thread-safe.
 *
 * @param key the sort key, over columns of the relation; `classify` must include these columns in `alsoNeeded`
 * @param conjuncts the predicate, which all rows of the result satisfy
 */
final class KeyFacts(key: SortOrder, conjuncts: Seq[Expression], classify: ClassifyRowGroups)
    extends KeysOfSearch {
  import KeyFacts._

  val order: KeyOrder = FirstKey.of(key).order
  private val isDescending = FirstKey.of(key).isDescending
  private val facts = new Evaluator(Nil, classify.columns, classify.work).facts(key.child)
  private val column = columnOf(key.child).map(_.id).flatMap(id => classify.columns.find(_.id == id))
  // If the predicate excludes nulls, rows with a null key are not in the result.
  private val isNeverNull = conjuncts.exists {
    case IsNotNull(LeafColumn(notNull)) => column.exists(_.id == notNull.id)
    case _ => false
  }
  private val places = new KeyPlaces(order, isNeverNull)

  /** The key as SQL, with its direction. */
  def sql: String = key.sql

  /** A key value as SQL. */
  def show(place: Any): String = Literal(place, key.dataType).sql

  /** Why the key values of a row group are unknown; none if they are known. */
  override def obstacle(file: ClassifiedFile, rowGroup: Int): Option[Obstacle] =
    (of(file, rowGroup).values match {
      case Values.Unknown =>
        Some(unlisted(file, rowGroup, classify).getOrElse(Obstacle.NoStatistics(key.child.sql)))
      case Values.Range(_, max) if isNaN(max) => Some(Obstacle.PerhapsNaN(key.child.sql))
      case _ => None
    }).map(beyondDictionary(file, rowGroup, classify).getOrElse(_))

  /** The best key value in a file before its footer is read; none if any value is possible. */
  def best(file: ListedFile): Option[Any] = best(facts(classify.beforeReading(file)))

  /** The best key value that is expected in a file before its footer is read. It proves nothing. */
  def expectedBest(file: ListedFile): Option[Any] = best(facts(classify.expected(file)))

  /** The best key value that a row of a row group may have in the result; none if any value is possible. */
  def best(file: ClassifiedFile, rowGroup: Int): Option[Any] = best(of(file, rowGroup))

  /** Numbers of rows of a fully matching row group, with the key values that these rows are certain to reach. */
  def certain(file: ClassifiedFile, rowGroup: Int): Seq[(Any, Long)] =
    certain(file, rowGroup, bestOccurring(file, rowGroup))

  /** As [[certain]], but for any of its rows: none is counted at the best value in the row group. */
  def ofAnyRows(file: ClassifiedFile, rowGroup: Int): Seq[(Any, Long)] = certain(file, rowGroup, None)

  private def certain(file: ClassifiedFile, rowGroup: Int, occurring: Option[Any]): Seq[(Any, Long)] =
    if (!file.isBelieved) Nil
    else
      places.certain(
        of(file, rowGroup),
        file.footer.rowGroups(rowGroup).getRowCount,
        nullCount(file, rowGroup),
        file.deletedRows,
        occurring
      )

  /**
   * The best key value in a row group, if at least one of its rows has it: the footer's min or max, if the key is a column.
   * None if rows of the file are deleted: it may be one of them. Without such rows, an unsorted table has no threshold that skips
   * anything.
   */
  private def bestOccurring(file: ClassifiedFile, rowGroup: Int): Option[Any] =
    column.filter(_ => LeafColumn.unapply(key.child).nonEmpty && file.deletedRows == 0).flatMap(leaf =>
      endsOf(file, leaf)(rowGroup).map(range => if (isDescending) range.max else range.min)
    )

  private def endsOf(file: ClassifiedFile, column: LeafColumn): Int => Option[Values.Range] = {
    if (!lastEnds.exists(_._1 eq file)) lastEnds = Some((file, file.facts.ends(column)))
    lastEnds.get._2
  }

  // A search asks for all row groups of a file in a row.
  private var lastEnds = Option.empty[(ClassifiedFile, Int => Option[Values.Range])]

  /**
   * What `place`, one of [[certain]], is if the key is never NaN: min and max of a footer do not say whether it is. It proves
   * nothing. It shows whether the row groups are clustered by the key.
   */
  def ifNeverNaN(place: Any, file: ClassifiedFile, rowGroup: Int): Any =
    if (isNaN(place))
      LeafColumn.unapply(key.child).flatMap(file.facts.maxIfNeverNaN(_, rowGroup)).getOrElse(place)
    else place

  /**
   * The best key value that a row of a part of a row group may have, and the key value that all of its rows are certain
   * to reach.
   */
  def ends(file: ClassifiedFile, unit: RowUnit): (Option[Any], Option[Any]) = {
    val known = if (file.isBelieved) facts(unit) else ColumnFacts.Unknown
    (best(known), order.worst(known))
  }

  /** The columns of the key, by their ordinals in `classify`. */
  override val columns: Seq[Int] =
    LeafColumn.in(key.child).map(_.id).flatMap(id =>
      classify.columns.indices.find(classify.columns(_).id == id)
    )

  private def best(known: ColumnFacts): Option[Any] = places.best(known)

  private def of(file: ClassifiedFile, rowGroup: Int): ColumnFacts =
    if (file.isBelieved) facts(file.known(rowGroup)) else ColumnFacts.Unknown

  private def nullCount(file: ClassifiedFile, rowGroup: Int): Option[Long] =
    column.flatMap(file.facts.nullCounts(_)(rowGroup))
}

private[search] object KeyFacts {

  /** The column that alone decides whether the key is null: the key is null if and only if this column is null. */
  def columnOf(key: Expression): Option[LeafColumn] = key match {
    case LeafColumn(column) => Some(column)
    case MonotoneFunctions(monotone) => columnOf(monotone.operand)
    case _ => None
  }

  def isNaN(value: Any): Boolean = value match {
    case double: Double => double.isNaN
    case float: Float => float.isNaN
    case _ => false
  }
}
