package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.predicate.{
  BriefSql, ColumnFacts, Evaluator, LeafColumn, Nulls, RowUnit, SupportedTypes, Values, Work
}

/**
 * The facts about the keys of groups. The keys of a row are a tuple. Not thread-safe.
 *
 * The facts about the tuples of some rows are two ends: in the order of tuples, no tuple is before the first or after
 * the last. This holds for a tuple if it holds for each of its keys.
 *
 * If there are many keys, only some of them are compared. Of the others, nothing is known: together they are one more key,
 * which may have any value. Rows that differ in the compared keys are in different groups, whatever the others are.
 *
 * @param all the keys, over columns of the table
 * @param known the columns whose facts are known, with those of [[KeyTuples.compared]]
 */
private[search] final class KeyTuples(
    all: Seq[Expression],
    known: IndexedSeq[LeafColumn],
    work: Work = new Work
) {
  import KeyTuples._

  private val keys = compared(all)
  private val areOthers = keys.size < all.size

  private val factsOfKeys: IndexedSeq[RowUnit => ColumnFacts] = {
    val evaluator = new Evaluator(Nil, known, work)
    // Values of other types may be equal although their bytes are not.
    keys.map { key =>
      if (SupportedTypes.contains(key.dataType)) evaluator.facts(key) else (_: RowUnit) => ColumnFacts.Unknown
    }.toIndexedSeq
  }

  private val valueOrders: IndexedSeq[Ordering[Any]] = keys.map { key =>
    if (SupportedTypes.contains(key.dataType)) SupportedTypes.ordering(key.dataType) else Untold
  }.toIndexedSeq ++ (if (areOthers) Some(Untold) else None)

  private val ordinals = known.map(_.id).zipWithIndex.toMap

  // The column of a key that is null if and only if this column is.
  private val nullColumns: IndexedSeq[Option[Int]] =
    keys.map(KeyFacts.columnOf(_).flatMap(column => ordinals.get(column.id))).toIndexedSeq

  /** The keys as SQL. */
  val sql: String = BriefSql.list(all)

  /** Each compared key as SQL. */
  lazy val names: IndexedSeq[String] = keys.map(_.sql).toIndexedSeq

  /**
   * Orders of tuples, each with another one of the first keys first. In all of them, tuples are equal if and only if Spark
   * puts their rows into one group: nulls are equal, and so are all NaN, and 0.0 and -0.0.
   */
  val orders: Seq[Ordering[Tuple]] =
    keys.indices.take(MostOrders).map { first =>
      new TupleOrder(valueOrders, (first +: valueOrders.indices.filter(_ != first)).toArray)
    }

  /** The keys that are columns, by their ordinals among `known`. */
  val plain: Seq[Int] = keys.collect { case LeafColumn(column) => ordinals.get(column.id) }.flatten.distinct

  /** The columns of the keys, by their ordinals among `known`. */
  val columns: Seq[Int] = keys.flatMap(LeafColumn.in).map(_.id).distinct.flatMap(ordinals.get(_))

  /** What is certain about each compared key. */
  def facts(unit: RowUnit): IndexedSeq[ColumnFacts] = factsOfKeys.map(_(unit))

  /** If nothing is certain about any key. */
  def unknown: IndexedSeq[ColumnFacts] = factsOfKeys.map(_ => ColumnFacts.Unknown)

  /**
   * The facts about rows in which no key is null, if some keys are null in some rows, and these are fewer than all rows. It is
   * not known which rows these are.
   *
   * @param facts the facts about the keys of all rows
   * @param rows number of rows
   * @param nulls number of rows in which a column, by its ordinal among `known`, is null; none if it is not known
   */
  def withoutNulls(facts: IndexedSeq[ColumnFacts], rows: Long)(
      nulls: Int => Option[Long]
  ): Option[IndexedSeq[ColumnFacts]] = {
    val perhaps = facts.indices.filter(i => facts(i).nulls == Nulls.Unknown).map { i =>
      if (facts(i).values == Values.Unknown) None else nullColumns(i).flatMap(nulls)
    }
    if (perhaps.nonEmpty && perhaps.forall(_.nonEmpty) && perhaps.flatten.sum < rows)
      Some(facts.map(one => if (one.nulls == Nulls.Unknown) one.withoutNulls else one))
    else None
  }

  /** The ends of the tuples of rows with these facts about the keys. */
  def ends(facts: IndexedSeq[ColumnFacts]): Ends = {
    val both = facts.indices.map { i =>
      if (!facts(i).canBeValue) (null, null)
      else facts(i).values.hull(valueOrders(i)) match {
        case Some(range) => (if (facts(i).canBeNull) null else range.min, range.max)
        case None => (null, Last)
      }
    }
    val others = if (areOthers) Some((null, Last)) else None
    Ends(both.map(_._1) ++ others.map(_._1), both.map(_._2) ++ others.map(_._2))
  }
}

private[limitpruning] object KeyTuples {

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
