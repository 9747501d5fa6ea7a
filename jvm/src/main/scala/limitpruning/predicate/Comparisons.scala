package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.BinaryComparison

import Values.Range

/**
 * The outcomes of Spark's comparison operators between two expressions of the same type, given only their
 * ranges. In the comments, `[a b]` is the left range and `[c d]` the right range.
 */
final class Comparisons(ordering: Ordering[Any]) {

  def lessThan(left: ColumnFacts, right: ColumnFacts): Outcomes = compare(left, right) { (l, r) =>
    Outcomes(
      canBeTrue = ordering.lt(l.min, r.max), //   [a ..... b]
      canBeFalse = ordering.gteq(l.max, r.min), // [c ..... d]   true needs a < d, false needs b >= c
      canBeNull = false
    )
  }

  def lessThanOrEqual(left: ColumnFacts, right: ColumnFacts): Outcomes = !lessThan(right, left)

  def equalTo(left: ColumnFacts, right: ColumnFacts): Outcomes = compare(left, right)(equality)

  /** `<=>`: two nulls are equal, a null and a value are not, and the result is never null. */
  def equalNullSafe(left: ColumnFacts, right: ColumnFacts): Outcomes = {
    val values = if (left.canBeValue && right.canBeValue) ofValues(left, right)(equality) else Outcomes.Empty
    val bothNull = if (left.canBeNull && right.canBeNull) Outcomes.True else Outcomes.Empty
    val oneNull =
      if ((left.canBeNull && right.canBeValue) || (left.canBeValue && right.canBeNull)) Outcomes.False
      else Outcomes.Empty
    values.union(bothNull).union(oneNull)
  }

  private val equality: (Range, Range) => Outcomes = (l, r) =>
    Outcomes(
      canBeTrue = ordering.lteq(l.min, r.max) && ordering.lteq(r.min, l.max), // the ranges overlap
      // Equality is proved only if both sides have one and the same value. Min and max are valid limits of
      // all values: if min = max, the column has no other value, even if a writer truncates long values.
      canBeFalse =
        !(ordering.equiv(l.min, l.max) && ordering.equiv(r.min, r.max) && ordering.equiv(l.min, r.min)),
      canBeNull = false
    )

  private def compare(left: ColumnFacts, right: ColumnFacts)(
      ofRanges: (Range, Range) => Outcomes
  ): Outcomes = {
    val values = if (left.canBeValue && right.canBeValue) ofValues(left, right)(ofRanges) else Outcomes.Empty
    if (left.canBeNull || right.canBeNull) values.union(Outcomes.Null) else values
  }

  private def ofValues(left: ColumnFacts, right: ColumnFacts)(
      ofRanges: (Range, Range) => Outcomes
  ): Outcomes =
    (left.values.hull(ordering), right.values.hull(ordering)) match {
      case (Some(l), Some(r)) => ofRanges(l, r)
      case _ => Outcomes.TrueOrFalse
    }
}

object Comparisons {
  private[predicate] def of(e: BinaryComparison): Comparisons =
    new Comparisons(SupportedTypes.ordering(e.left.dataType))
}

/** A comparison between two expressions of the same type, whose order is supported. */
private[predicate] object Comparable {
  def unapply(e: BinaryComparison): Option[BinaryComparison] =
    if (e.left.dataType == e.right.dataType && SupportedTypes.contains(e.left.dataType)) Some(e) else None
}
