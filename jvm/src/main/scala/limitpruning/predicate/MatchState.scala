package limitpruning.predicate

/** How much of a unit of rows satisfies the predicate, as far as metadata proves it. */
sealed trait MatchState

object MatchState {

  /** No row satisfies the predicate: true is not among its outcomes. */
  case object NotMatching extends MatchState

  /** Some rows may, some may not: nothing is proved. */
  case object PartiallyMatching extends MatchState

  /** Every row satisfies the predicate: true is its only outcome. */
  case object FullyMatching extends MatchState

  def of(outcomes: Outcomes): MatchState =
    if (!outcomes.canBeTrue) NotMatching
    else if (outcomes.isOnlyTrue) FullyMatching
    else PartiallyMatching
}
