package limitpruning.predicate

/**
 * What is known about the values of one expression over the rows of a unit. Every statement is an
 * over-approximation: a value the expression really takes is never outside of `values`, and a null that is
 * really there is never excluded by `nulls`.
 */
final case class ColumnFacts(values: Values, nulls: Nulls) {
  def canBeNull: Boolean = nulls != Nulls.No
  def canBeValue: Boolean = values != Values.None
}

object ColumnFacts {

  /** Nothing is known: any value, and perhaps nulls. */
  val Unknown: ColumnFacts = ColumnFacts(Values.Unknown, Nulls.Unknown)

  /** Every row is null. */
  val AllNull: ColumnFacts = ColumnFacts(Values.None, Nulls.All)

  /** The same value, possibly null, in every row: a literal or a partition value. */
  def constant(value: Any): ColumnFacts =
    if (value == null) AllNull else ColumnFacts(Values.Range(value, value), Nulls.No)
}

/** Which non-null values an expression can take. */
sealed trait Values

object Values {
  case object Unknown extends Values

  /** No value: every row is null. */
  case object None extends Values

  /**
   * Every value v has `min <= v <= max` in Spark's own ordering of the type, in Catalyst's internal
   * representation. The bounds are bounds: neither need occur, as writers may truncate them.
   */
  final case class Range(min: Any, max: Any) extends Values
}

/** Whether rows are null. A null count that is not recorded is `Unknown`, never zero. */
sealed trait Nulls

object Nulls {
  case object No extends Nulls
  case object Unknown extends Nulls
  case object All extends Nulls
}
