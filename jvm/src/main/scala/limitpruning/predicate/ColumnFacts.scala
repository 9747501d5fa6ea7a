package limitpruning.predicate

/**
 * What is known about the values of one expression over the rows of a unit. Each fact is an
 * over-approximation: every value of the expression is in `values`, and if a row is null, `nulls` does not
 * exclude it.
 */
final case class ColumnFacts(values: Values, nulls: Nulls) {
  def canBeNull: Boolean = nulls != Nulls.No
  def canBeValue: Boolean = values != Values.Empty

  /** The facts if each row has a value of either this or `other`. */
  def union(other: ColumnFacts, ordering: Ordering[Any]): ColumnFacts =
    ColumnFacts(values.union(other.values, ordering), nulls.union(other.nulls))

  /**
   * The facts if both this and `other` are true of the same rows. If they contradict each other, one of them
   * is wrong, and nothing is known.
   */
  def and(other: ColumnFacts, ordering: Ordering[Any]): ColumnFacts =
    (for {
      values <- values.and(other.values, ordering)
      nulls <- nulls.and(other.nulls)
      if !(values == Values.Empty && nulls == Nulls.No)
    } yield ColumnFacts(values, nulls)).getOrElse(ColumnFacts.Unknown)

  /** The same values; no row is null. */
  def withoutNulls: ColumnFacts = copy(nulls = Nulls.No)
}

object ColumnFacts {

  /** Nothing is known: any value is possible, and null, too. */
  val Unknown: ColumnFacts = ColumnFacts(Values.Unknown, Nulls.Unknown)

  /** Every row is null. */
  val AllNull: ColumnFacts = ColumnFacts(Values.Empty, Nulls.All)

  /** The same value, possibly null, in every row: a literal or a partition value. */
  def constant(value: Any): ColumnFacts =
    if (value == null) AllNull else ColumnFacts(Values.Finite(Seq(value)), Nulls.No)
}

/** The non-null values that an expression can have. */
sealed trait Values {
  import Values._

  /** The smallest range that contains all values, if it is known. */
  def hull(ordering: Ordering[Any]): Option[Range] = this match {
    case range: Range => Some(range)
    case finite: Finite => finite.ends(ordering)
    case Unknown | Empty => Option.empty
  }

  /** Whether both ends are known. A range of floats that ends with NaN may have any greatest value. */
  def areBounded: Boolean = this match {
    case Unknown => false
    case Range(_, max: Double) => !max.isNaN
    case Range(_, max: Float) => !max.isNaN
    case _ => true
  }

  /** The values that are in both. None if there is no such value. */
  def and(other: Values, ordering: Ordering[Any]): Option[Values] = (this, other) match {
    case (Unknown, values) => Some(values)
    case (values, Unknown) => Some(values)
    case (Empty, _) | (_, Empty) => Some(Empty)
    case (finite: Finite, range: Range) => finite.within(range, ordering)
    case (range: Range, finite: Finite) => finite.within(range, ordering)
    case (Finite(a), b) => b.keeping(a, ordering)
    case (a, Finite(b)) => a.keeping(b, ordering)
    case (Range(a, b), Range(c, d)) =>
      Some(Range(ordering.max(a, c), ordering.min(b, d))).filter(r => ordering.lteq(r.min, r.max))
  }

  private def keeping(candidates: Seq[Any], ordering: Ordering[Any]): Option[Values] = {
    val kept = this match {
      case Finite(values) => candidates.filter(v => values.exists(ordering.equiv(v, _)))
      case _ => candidates
    }
    if (kept.isEmpty) Option.empty else Some(Finite(kept))
  }

  def union(other: Values, ordering: Ordering[Any]): Values = (this, other) match {
    case (Empty, values) => values
    case (values, Empty) => values
    case (Finite(a), Finite(b)) if a.size + b.size <= MostUnited => Finite((a ++ b).distinct)
    case _ =>
      val ranges = for (a <- hull(ordering); b <- other.hull(ordering))
        yield Range(ordering.min(a.min, b.min), ordering.max(a.max, b.max))
      ranges.getOrElse(Unknown)
  }
}

object Values {
  case object Unknown extends Values

  /** No value: every row is null. */
  case object Empty extends Values

  /**
   * Every value v has `min <= v <= max` in Spark's own ordering of the type, in Catalyst's internal
   * representation. Neither min nor max needs to occur in the data, as writers may truncate them.
   */
  final case class Range(min: Any, max: Any) extends Values

  /**
   * Every value is one of these. There is at least one. Not all of them need to occur in the data. Values are always
   * compared by the same ordering, that of their type.
   */
  final case class Finite(values: Seq[Any]) extends Values {
    // Computed at most once: every row group needs the hull of a literal, and every page that of a dictionary.
    private var hull: Option[Range] =
      if (values.size == 1) Some(Range(values.head, values.head)) else Option.empty
    private var ascending: Array[Any] = _

    private[predicate] def ends(ordering: Ordering[Any]): Option[Range] = {
      if (hull.isEmpty) hull = Some(Range(values.min(ordering), values.max(ordering)))
      hull
    }

    /** The values in a range, by binary search. None if there is no such value. */
    private[predicate] def within(range: Range, ordering: Ordering[Any]): Option[Finite] = {
      val all = sorted(ordering)
      val from = first(all)(ordering.gteq(_, range.min))
      val until = first(all)(ordering.gt(_, range.max))
      if (from >= until) Option.empty
      else if (until - from == all.length) Some(this)
      else Some(Finite.ofSorted(all.slice(from, until)))
    }

    private def sorted(ordering: Ordering[Any]): Array[Any] = {
      if (ascending == null) ascending = values.toArray[Any].sorted(ordering)
      ascending
    }
  }

  object Finite {

    /** The values of a page are a part of those of a dictionary, which are sorted once. */
    private def ofSorted(ascending: Array[Any]): Finite = {
      val part = Finite(ascending.toIndexedSeq)
      part.hull = Some(Range(ascending.head, ascending.last))
      part.ascending = ascending
      part
    }
  }

  /** The index of the first value that meets a condition, which all later ones meet; the number of values if none does. */
  private def first(values: Array[Any])(holds: Any => Boolean): Int = {
    var low = 0
    var high = values.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (holds(values(middle))) high = middle else low = middle + 1
    }
    low
  }

  /** A union of more values is only their range. */
  private val MostUnited = 1024
}

/** Whether rows are null. If the null count is not recorded, this is `Unknown`, never zero. */
sealed trait Nulls {
  def union(other: Nulls): Nulls = if (this == other) this else Nulls.Unknown

  /** The facts that follow from both. None if they contradict each other. */
  def and(other: Nulls): Option[Nulls] =
    if (this == Nulls.Unknown) Some(other)
    else if (other == Nulls.Unknown || other == this) Some(this)
    else None
}

object Nulls {
  case object No extends Nulls
  case object Unknown extends Nulls
  case object All extends Nulls
}

/** The facts about one unit of rows. A column is identified by its ordinal in the evaluator's input. */
trait RowUnit {
  def facts(ordinal: Int): ColumnFacts

  /**
   * Whether another source than facts, such as a bloom filter, proves that no row of the column has this
   * value.
   */
  def excludes(ordinal: Int, value: Any): Boolean = false

  /**
   * Whether the column has more values than its dictionary, so that only some of its pages use the dictionary. This
   * explains why values are unknown, and proves nothing.
   */
  def exceedsDictionary(ordinal: Int): Boolean = false
}
