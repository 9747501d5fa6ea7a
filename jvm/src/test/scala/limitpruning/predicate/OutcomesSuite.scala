package limitpruning.predicate

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.BruteForce.{allOutcomes, outcome, results, union}

class OutcomesSuite extends AnyFunSuite {

  /** Kleene's truth table for AND, with null as unknown. */
  private def kleeneAnd(left: Any, right: Any): Any =
    if (left == false || right == false) false else if (left == null || right == null) null else true

  private def kleeneNot(operand: Any): Any = if (operand == null) null else operand == false

  private def kleeneOr(left: Any, right: Any): Any = kleeneNot(kleeneAnd(kleeneNot(left), kleeneNot(right)))

  private def lifted(left: Outcomes, right: Outcomes)(table: (Any, Any) => Any): Outcomes =
    union(for (l <- results(left); r <- results(right)) yield outcome(table(l, r)))

  test("AND is Kleene's table over every pair of results") {
    for (left <- allOutcomes; right <- allOutcomes)
      assert(left.and(right) == lifted(left, right)(kleeneAnd), s"for $left AND $right")
  }

  test("OR is Kleene's table over every pair of results") {
    for (left <- allOutcomes; right <- allOutcomes)
      assert(left.or(right) == lifted(left, right)(kleeneOr), s"for $left OR $right")
  }

  test("NOT is Kleene's table over every result, and null stays null") {
    for (operand <- allOutcomes)
      assert(
        !operand == union(results(operand).map(result => outcome(kleeneNot(result)))),
        s"for NOT $operand"
      )
  }

  test("a union contains the results of both and no other") {
    for (left <- allOutcomes; right <- allOutcomes)
      assert(results(left.union(right)).toSet == results(left).toSet ++ results(right))
  }

  test("eight sets of outcomes are eight different values") {
    assert(allOutcomes.toSet.size == 8)
    assert(Set(Outcomes.Empty, Outcomes.True, Outcomes.False, Outcomes.Null, Outcomes.Any).size == 5)
  }

  test("the named sets contain the results in their names") {
    assert(results(Outcomes.Empty) == Nil)
    assert(results(Outcomes.True) == Seq(true))
    assert(results(Outcomes.False) == Seq(false))
    assert(results(Outcomes.Null) == Seq(null))
    assert(results(Outcomes.TrueOrFalse) == Seq(true, false))
    assert(results(Outcomes.Any) == Seq[Any](true, false, null))
  }

  test("only {true} is only true: no outcome at all proves nothing") {
    assert(allOutcomes.filter(_.isOnlyTrue) == Seq(Outcomes.True))
  }

  test("the text of a set of outcomes lists its results") {
    assert(Outcomes.Any.toString == "{true, false, null}")
    assert(Outcomes.Empty.toString == "{}")
    assert(Seq(Outcomes.True, Outcomes.False, Outcomes.Null).map(_.toString) ==
      Seq("{true}", "{false}", "{null}"))
  }
}
