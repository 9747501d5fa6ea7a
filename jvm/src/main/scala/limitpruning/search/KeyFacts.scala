package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, Literal, SortOrder}

import limitpruning.predicate.{
  ColumnFacts, Evaluator, FirstKey, KeyOrder, LeafColumn, MonotoneFunctions, Obstacle, RowUnit, Values
}
import limitpruning.select.ListedFile

/**
 * What the first sort key tells of row groups: the best place that one of its rows may have, and how many rows are certain to
 * be where. Not thread-safe.
 *
 * @param key over the relation's columns, which `classify` has to be asked for
 * @param conjuncts what all rows of the answer satisfy
 */
final class KeyFacts(key: SortOrder, conjuncts: Seq[Expression], classify: ClassifyRowGroups) {
  import KeyFacts._

  val order: KeyOrder = FirstKey.of(key).order
  private val facts = new Evaluator(Nil, classify.columns).facts(key.child)
  private val column = columnOf(key.child).map(_.id).flatMap(id => classify.columns.find(_.id == id))
  // Whatever is null of a row group is not in the answer where the predicate says so.
  private val isNeverNull = conjuncts.exists {
    case IsNotNull(LeafColumn(notNull)) => column.exists(_.id == notNull.id)
    case _ => false
  }

  /** The key as SQL, with its direction. */
  def sql: String = key.sql

  /** A place as SQL. */
  def show(place: Any): String = Literal(place, key.dataType).sql

  /** Why no place of a row group's rows is known. */
  def obstacle(file: ClassifiedFile, rowGroup: Int): Option[Obstacle] = of(file, rowGroup).values match {
    case Values.Unknown => Some(Obstacle.NoStatistics(key.child.sql))
    case Values.Range(_, max) if isNaN(max) => Some(Obstacle.PerhapsNaN(key.child.sql))
    case _ => None
  }

  /** The best place in a file before its footer is read, none where any is possible. */
  def best(file: ListedFile): Option[Any] = best(facts(classify.beforeReading(file)))

  /** The best place that is expected in a file before its footer is read. It proves nothing. */
  def expectedBest(file: ListedFile): Option[Any] = best(facts(classify.expected(file)))

  /** The best place that a row of a row group may have in the answer, none where any is possible. */
  def best(file: ClassifiedFile, rowGroup: Int): Option[Any] = best(of(file, rowGroup))

  /** Rows of a fully matching row group by the places which they are certain to reach. */
  def certain(file: ClassifiedFile, rowGroup: Int): Seq[(Any, Long)] = if (!file.isBelieved) Nil
  else {
    val rows = file.footer.rowGroups(rowGroup).getRowCount
    val known = of(file, rowGroup)
    nullCount(file, rowGroup).filter(nulls =>
      nulls > 0 && nulls < rows && known.values != Values.Unknown
    ) match {
      case Some(nulls) => order.worstValue(known).map(_ -> (rows - nulls)).toSeq :+ ((null, nulls))
      case None => order.worst(known).map(_ -> rows).toSeq
    }
  }

  /** The best place that a row of a part of a row group may have, and the place that all its rows are certain to reach. */
  def ends(file: ClassifiedFile, unit: RowUnit): (Option[Any], Option[Any]) = {
    val known = if (file.isBelieved) facts(unit) else ColumnFacts.Unknown
    (best(known), order.worst(known))
  }

  /** The key's columns, by the ordinals that `classify` gives them. */
  val columns: Seq[Int] =
    LeafColumn.in(key.child).map(_.id).flatMap(id =>
      classify.columns.indices.find(classify.columns(_).id == id)
    )

  private def best(known: ColumnFacts): Option[Any] =
    order.best(if (isNeverNull && known.canBeValue) known.withoutNulls else known)

  private def of(file: ClassifiedFile, rowGroup: Int): ColumnFacts =
    if (file.isBelieved) facts(file.known(rowGroup)) else ColumnFacts.Unknown

  private def nullCount(file: ClassifiedFile, rowGroup: Int): Option[Long] =
    column.flatMap(file.facts.nullCounts(_)(rowGroup))
}

private object KeyFacts {

  /** The column for whose nulls alone the key is null. */
  private def columnOf(key: Expression): Option[LeafColumn] = key match {
    case LeafColumn(column) => Some(column)
    case MonotoneFunctions(monotone) => columnOf(monotone.operand)
    case _ => None
  }

  private def isNaN(value: Any): Boolean = value match {
    case double: Double => double.isNaN
    case float: Float => float.isNaN
    case _ => false
  }
}
