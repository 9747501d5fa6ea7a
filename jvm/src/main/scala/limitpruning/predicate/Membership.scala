package limitpruning.predicate

import Values.Range

/**
 * The outcomes of `c IN (literals)` over a range, by binary search: a list of any length costs the same.
 *
 * @param elements the list's values in Catalyst's internal representation, perhaps with null
 */
final class Membership(elements: Iterable[Any], ordering: Ordering[Any]) {
  private val hasNull = elements.exists(_ == null)
  private val sorted = elements.iterator.filter(_ != null).toArray[Any].sorted(ordering)
  private val missed = if (hasNull) Outcomes.Null else Outcomes.False

  /** A value that is in the list gives true; one that is not gives false, or null where the list has a null. */
  def outcomes(facts: ColumnFacts): Outcomes =
    if (elements.isEmpty) ofNothing(facts.canBeNull) else ofElements(facts)

  /** Nothing is in an empty list, not even null, unless an old behaviour is asked for, which gives null for null. */
  private def ofNothing(canBeNull: Boolean): Outcomes =
    Outcomes(canBeTrue = false, canBeFalse = true, canBeNull = canBeNull)

  private def ofElements(facts: ColumnFacts): Outcomes = {
    val ofValues = facts.values match {
      case Values.None => Outcomes.Empty
      case values =>
        values.hull(ordering) match {
          case Some(range) => ofRange(range)
          case None => Outcomes.True.union(missed)
        }
    }
    if (facts.canBeNull) ofValues.union(Outcomes.Null) else ofValues
  }

  private def ofRange(range: Range): Outcomes = {
    val next = firstNotBelow(range.min)
    val hit = next < sorted.length && ordering.lteq(sorted(next), range.max)
    if (!hit) missed
    else if (ordering.equiv(range.min, range.max)) Outcomes.True
    else Outcomes.True.union(missed)
  }

  /** The index of the first element that is not below `value`, or the number of elements. */
  private def firstNotBelow(value: Any): Int = {
    var low = 0
    var high = sorted.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (ordering.lt(sorted(middle), value)) low = middle + 1 else high = middle
    }
    low
  }
}
