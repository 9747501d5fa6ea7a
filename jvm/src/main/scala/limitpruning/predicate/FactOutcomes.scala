package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DoubleType, FloatType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import Values.Range

/** The outcomes of predicates on a single expression, from the facts about it. */
private[predicate] object FactOutcomes {

  /** `e IS NULL`: never null itself. */
  def isNull(facts: ColumnFacts): Outcomes =
    Outcomes(canBeTrue = facts.canBeNull, canBeFalse = facts.canBeValue, canBeNull = false)

  /** A boolean expression as a predicate: false < true. */
  def isTrue(facts: ColumnFacts): Outcomes = {
    val (canBeTrue, canBeFalse) = facts.values match {
      case Values.Empty => (false, false)
      case Values.Range(min: Boolean, max: Boolean) => (max, !min)
      case Values.Finite(values) => (values.contains(true), values.contains(false))
      case _ => (true, true)
    }
    Outcomes(canBeTrue, canBeFalse, facts.canBeNull)
  }
}

/**
 * The outcomes of `startsWith(c, prefix)`. Spark rewrites `c LIKE 'x%'` to it. Strings are compared by their
 * bytes, so the strings with the same prefix are contiguous:
 * {{{
 *   ... Alp < [ Alpine ... Alpine\xFF... ] < Alq ...
 * }}}
 */
object Prefixes {

  def startsWith(facts: ColumnFacts, prefix: UTF8String): Outcomes = {
    val ofValues = facts.values match {
      case Values.Empty => Outcomes.Empty
      case values =>
        values.hull(ordering) match {
          case Some(Range(min: UTF8String, max: UTF8String)) => between(min, max, prefix)
          case _ => Outcomes.TrueOrFalse
        }
    }
    if (facts.canBeNull) ofValues.union(Outcomes.Null) else ofValues
  }

  /** The outcomes of a predicate that is false for strings without the prefix. For the others, it may be true or false. */
  def onlyIfStartsWith(facts: ColumnFacts, prefix: UTF8String): Outcomes = {
    val outcomes = startsWith(facts, prefix)
    if (outcomes.canBeTrue) outcomes.union(Outcomes.False) else outcomes
  }

  private val ordering = SupportedTypes.ordering(StringType)

  private def between(min: UTF8String, max: UTF8String, prefix: UTF8String): Outcomes = Outcomes(
    canBeTrue = ordering.gteq(max, prefix) && (ordering.lteq(min, prefix) || min.startsWith(prefix)),
    // If two strings have the prefix, all strings between them have it, too. A min or max that was truncated
    // to fewer characters than the prefix has (Alp ... Alq) proves nothing.
    canBeFalse = !(min.startsWith(prefix) && max.startsWith(prefix)),
    canBeNull = false
  )
}

/**
 * The outcomes of `c IN (literals)` over a range, by binary search. The cost grows only with the logarithm of
 * the length of the list.
 *
 * @param elements the list's values in Catalyst's internal representation, which may include null
 */
final class Membership(elements: Iterable[Any], ordering: Ordering[Any]) {
  private val hasNull = elements.exists(_ == null)
  private val sorted = elements.iterator.filter(_ != null).toArray[Any].sorted(ordering)
  private val missed = if (hasNull) Outcomes.Null else Outcomes.False

  /**
   * A value in the list gives true. A value that is not in the list gives false, or null if the list contains
   * null.
   */
  def outcomes(facts: ColumnFacts): Outcomes =
    if (elements.isEmpty) ofNothing(facts.canBeNull) else ofElements(facts)

  /**
   * Nothing is in an empty list, not even null. Spark's legacy behavior, which gives null for null, is
   * included.
   */
  private def ofNothing(canBeNull: Boolean): Outcomes =
    Outcomes(canBeTrue = false, canBeFalse = true, canBeNull = canBeNull)

  private def ofElements(facts: ColumnFacts): Outcomes = {
    val ofValues = facts.values match {
      case Values.Empty => Outcomes.Empty
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

  /** The index of the first element that is not below `value`, or the number of elements if there is none. */
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

/** `value IN (literals)`, in either of Catalyst's forms. */
private[predicate] object LiteralList {
  def unapply(e: Expression): Option[(Expression, Iterable[Any])] = e match {
    case In(value, list) if supports(value) && list.forall(isLiteralLike(value)) =>
      Some((value, list.collect { case Literal(element, _) => element }))
    // InSet looks up floats by Java's equality, which distinguishes -0.0 from 0.0. Spark's ordering does not.
    case InSet(value, elements) if supports(value) && !isFloatingPoint(value) => Some((value, elements))
    case _ => None
  }

  private def supports(value: Expression): Boolean = SupportedTypes.contains(value.dataType)

  private def isFloatingPoint(value: Expression): Boolean =
    value.dataType == FloatType || value.dataType == DoubleType

  private def isLiteralLike(value: Expression)(e: Expression): Boolean =
    e.isInstanceOf[Literal] && e.dataType == value.dataType
}
