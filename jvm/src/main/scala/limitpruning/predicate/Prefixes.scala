package limitpruning.predicate

import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import Values.Range

/**
 * The outcomes of `startsWith(c, prefix)`, which is what `c LIKE 'x%'` becomes. Strings are compared by their
 * bytes, so the strings with one prefix stand next to each other:
 * {{{
 *   ... Alp < [ Alpine ... Alpine\xFF... ] < Alq ...
 * }}}
 */
object Prefixes {

  def startsWith(facts: ColumnFacts, prefix: UTF8String): Outcomes = {
    val ofValues = facts.values match {
      case Values.None => Outcomes.Empty
      case values =>
        values.hull(ordering) match {
          case Some(Range(min: UTF8String, max: UTF8String)) => between(min, max, prefix)
          case _ => Outcomes.TrueOrFalse
        }
    }
    if (facts.canBeNull) ofValues.union(Outcomes.Null) else ofValues
  }

  private val ordering = SupportedTypes.ordering(StringType)

  private def between(min: UTF8String, max: UTF8String, prefix: UTF8String): Outcomes = Outcomes(
    canBeTrue = ordering.gteq(max, prefix) && (ordering.lteq(min, prefix) || min.startsWith(prefix)),
    // All strings between two that have the prefix have it too. A bound cut shorter than the prefix (Alp ... Alq)
    // proves nothing.
    canBeFalse = !(min.startsWith(prefix) && max.startsWith(prefix)),
    canBeNull = false
  )
}
