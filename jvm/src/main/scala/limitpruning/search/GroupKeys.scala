package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{
  BriefSql, ColumnFacts, Evaluator, LeafColumn, Nulls, Obstacle, RowUnit, SupportedTypes, Values
}
import limitpruning.select.{ListedFile, MatchingRows, RowRange}

/**
 * The facts about the keys of groups in row groups. The keys of a row are a tuple. Not thread-safe.
 *
 * The facts about the tuples of a row group are two ends: in the order of tuples, no tuple is before the first or after
 * the last. This holds for a tuple if it holds for each of its keys.
 *
 * If there are many keys, only some of them are compared. Of the others, nothing is known: together they are one more key,
 * which may have any value. Rows that differ in the compared keys are in different groups, whatever the others are.
 *
 * @param all the keys, over columns of the relation; `classify` must include the columns of [[GroupKeys.compared]] in
 *   `alsoNeeded`
 */
final class GroupKeys(all: Seq[Expression], classify: ClassifyRowGroups) extends KeysOfSearch {
  import GroupKeys._

  private val keys = compared(all)
  private val areOthers = keys.size < all.size

  private val facts: IndexedSeq[RowUnit => ColumnFacts] = {
    val evaluator = new Evaluator(Nil, classify.columns, classify.work)
    // Values of other types may be equal although their bytes are not.
    keys.map { key =>
      if (SupportedTypes.contains(key.dataType)) evaluator.facts(key) else (_: RowUnit) => ColumnFacts.Unknown
    }.toIndexedSeq
  }

  private val valueOrders: IndexedSeq[Ordering[Any]] = keys.map { key =>
    if (SupportedTypes.contains(key.dataType)) SupportedTypes.ordering(key.dataType) else Untold
  }.toIndexedSeq ++ (if (areOthers) Some(Untold) else None)

  // A key that is null if and only if one column is.
  private val ordinals = classify.columns.map(_.id).zipWithIndex.toMap
  private val nullColumns = keys.map(KeyFacts.columnOf(_).flatMap(column =>
    ordinals.get(column.id).map(classify.columns)
  )).toIndexedSeq

  /** The keys as SQL. */
  val sql: String = BriefSql.list(all)

  /**
   * Orders of tuples, each with another one of the first keys first. In all of them, tuples are equal if and only if Spark
   * puts their rows into one group: nulls are equal, and so are all NaN, and 0.0 and -0.0.
   */
  val orders: Seq[Ordering[Tuple]] =
    keys.indices.take(MostOrders).map { first =>
      new TupleOrder(valueOrders, (first +: valueOrders.indices.filter(_ != first)).toArray)
    }

  /** The keys that are columns, by their ordinals in the classifier. */
  val plain: Seq[Int] = keys.collect { case LeafColumn(column) => ordinals.get(column.id) }.flatten.distinct

  override val columns: Seq[Int] =
    keys.flatMap(LeafColumn.in).map(_.id).distinct.flatMap(ordinals.get(_))

  /** The ends of the tuples in a file before its footer is read. */
  def ends(file: ListedFile): Ends = endsOf(facts.map(_(classify.beforeReading(file))))

  /** The ends of the tuples in a row group. */
  def ends(file: ClassifiedFile, rowGroup: Int): Ends = endsOf(factsOf(file, rowGroup))

  /**
   * Rows of a row group, all of them proved to match, of which at least one is in the table and has a tuple between the
   * ends. If no key may be null, or if it is not known whether a row has no null, this is the first row: each row has such
   * a tuple. If rows of the file are deleted, these are more rows than are deleted; none if there are not so many.
   */
  def certain(file: ClassifiedFile, matching: MatchingRows): Option[(Ends, MatchingRows)] = {
    val known = factsOf(file, matching.ordinal)
    if (file.deletedRows > 0)
      if (matching.rows > file.deletedRows) Some((endsOf(known), matching)) else None
    else
      someWithoutNulls(file, matching, known) match {
        case Some(withoutNulls) => Some((endsOf(withoutNulls), matching))
        case None => Some((endsOf(known), matching.copy(ranges = RowRange.take(matching.ranges, 1))))
      }
  }

  override def obstacle(file: ClassifiedFile, rowGroup: Int): Option[Obstacle] =
    factsOf(file, rowGroup).zip(keys).collectFirst {
      case (ColumnFacts(Values.Unknown, _), key) =>
        unlisted(file, rowGroup, classify).getOrElse(Obstacle.NoStatistics(key.sql))
      case (ColumnFacts(Values.Range(_, max), _), key) if KeyFacts.isNaN(max) => Obstacle.PerhapsNaN(key.sql)
    }.map(beyondDictionary(file, rowGroup, classify).getOrElse(_))

  private def factsOf(file: ClassifiedFile, rowGroup: Int): IndexedSeq[ColumnFacts] =
    if (file.isBelieved) facts.map(_(file.known(rowGroup))) else facts.map(_ => ColumnFacts.Unknown)

  /**
   * The facts about rows in which no key is null, if all rows match, some keys are null in some rows, and these are fewer
   * than all rows. It is not known which rows these are.
   */
  private def someWithoutNulls(
      file: ClassifiedFile,
      matching: MatchingRows,
      known: IndexedSeq[ColumnFacts]
  ): Option[IndexedSeq[ColumnFacts]] = {
    val rows = file.footer.rowGroups(matching.ordinal).getRowCount
    val nulls = known.indices.filter(i => known(i).nulls == Nulls.Unknown).map { i =>
      if (known(i).values == Values.Unknown) None
      else nullColumns(i).flatMap(file.facts.nullCounts(_)(matching.ordinal))
    }
    if (nulls.nonEmpty && matching.rows == rows && nulls.forall(_.nonEmpty) && nulls.flatten.sum < rows)
      Some(known.map(_.withoutNulls).zip(known).map { case (without, all) =>
        if (all.nulls == Nulls.Unknown) without else all
      })
    else None
  }

  private def endsOf(known: IndexedSeq[ColumnFacts]): Ends = {
    val both = known.indices.map { i =>
      if (!known(i).canBeValue) (null, null)
      else known(i).values.hull(valueOrders(i)) match {
        case Some(range) => (if (known(i).canBeNull) null else range.min, range.max)
        case None => (null, Last)
      }
    }
    val others = if (areOthers) Some((null, Last)) else None
    Ends(both.map(_._1) ++ others.map(_._1), both.map(_._2) ++ others.map(_._2))
  }
}

private[limitpruning] object GroupKeys {

  /** The maximum number of keys that are compared. Facts about thousands of columns take longer than Spark's planning. */
  private val MostKeys = 32

  /** The keys that are compared, of all keys. */
  def compared(keys: Seq[Expression]): Seq[Expression] =
    if (keys.size <= MostKeys) keys
    else keys.iterator.filter(key => SupportedTypes.contains(key.dataType)).take(MostKeys).toVector

  /** The maximum number of orders. Each takes as long as there are keys. */
  private val MostOrders = 16

  /** The values of the keys, in Catalyst's representation. Null, which is the first value, stands for SQL's NULL. */
  type Tuple = IndexedSeq[Any]

  /** The first and the last tuple that rows may have. */
  final case class Ends(from: Tuple, to: Tuple) {

    /** Whether all rows have the same tuple. */
    def areEqual(order: Ordering[Tuple]): Boolean = order.equiv(from, to)
  }

  /** Behind all values. */
  private case object Last

  /** Never called: the facts about values without an order are unknown, so only null and [[Last]] are compared. */
  private object Untold extends Ordering[Any] {
    override def compare(a: Any, b: Any): Int = throw new IllegalStateException(s"no order of $a and $b")
  }

  /** @param sequence the keys in the order in which they are compared */
  private final class TupleOrder(values: IndexedSeq[Ordering[Any]], sequence: Array[Int])
      extends Ordering[Tuple] {
    override def compare(a: Tuple, b: Tuple): Int =
      sequence.iterator.map(i => compareKey(values(i), a(i), b(i))).find(_ != 0).getOrElse(0)

    private def compareKey(order: Ordering[Any], a: Any, b: Any): Int = (a, b) match {
      case (null, null) | (Last, Last) => 0
      case (null, _) | (_, Last) => -1
      case (_, null) | (Last, _) => 1
      case _ => order.compare(a, b)
    }
  }
}
