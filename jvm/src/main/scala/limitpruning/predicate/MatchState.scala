package limitpruning.predicate

/** The share of a unit of rows that satisfies the predicate, as far as metadata prove it. */
sealed trait MatchState

object MatchState {

  /** No row satisfies the predicate: its outcomes do not contain true. */
  case object NotMatching extends MatchState

  /** Some rows may satisfy the predicate, some may not: nothing is proved. */
  case object PartiallyMatching extends MatchState

  /** Every row satisfies the predicate: true is its only outcome. */
  case object FullyMatching extends MatchState

  def of(outcomes: Outcomes): MatchState =
    if (!outcomes.canBeTrue) NotMatching
    else if (outcomes.isOnlyTrue) FullyMatching
    else PartiallyMatching
}
