package limitpruning.predicate

/** The outcomes of the predicates that ask one expression alone, from the facts about it. */
private[predicate] object FactOutcomes {

  /** `e IS NULL`: never null itself. */
  def isNull(facts: ColumnFacts): Outcomes =
    Outcomes(canBeTrue = facts.canBeNull, canBeFalse = facts.canBeValue, canBeNull = false)

  /** A boolean that stands as a predicate: false < true. */
  def isTrue(facts: ColumnFacts): Outcomes = {
    val (canBeTrue, canBeFalse) = facts.values match {
      case Values.None => (false, false)
      case Values.Range(min: Boolean, max: Boolean) => (max, !min)
      case Values.Finite(values) => (values.contains(true), values.contains(false))
      case _ => (true, true)
    }
    Outcomes(canBeTrue, canBeFalse, facts.canBeNull)
  }
}
