package limitpruning.predicate

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.MatchState._
import limitpruning.testing.BruteForce.allOutcomes

class MatchStateSuite extends AnyFunSuite {

  test("a unit is not matching if true is not an outcome, and fully matching if it is the only one") {
    val expected = Map(
      Outcomes.Empty -> NotMatching,
      Outcomes.False -> NotMatching,
      Outcomes.Null -> NotMatching,
      Outcomes.False.union(Outcomes.Null) -> NotMatching,
      Outcomes.True -> FullyMatching,
      Outcomes.TrueOrFalse -> PartiallyMatching,
      Outcomes.True.union(Outcomes.Null) -> PartiallyMatching,
      Outcomes.Any -> PartiallyMatching
    )
    for (outcomes <- allOutcomes) assert(MatchState.of(outcomes) == expected(outcomes), s"for $outcomes")
  }
}
