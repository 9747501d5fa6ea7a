package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.testing.BruteForce
import limitpruning.testing.Evaluators.evaluator

class EvaluatorPropertiesSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  test("an outcome of Spark's own evaluation is never missing") {
    var proved = Map.empty[MatchState, Int].withDefaultValue(0)
    forAll(RandomCases.gen, minSuccessful(4000)) { c =>
      val real = BruteForce.outcomesOf(c.predicate, c.columns, c.rows)
      assert(BruteForce.contains(c.outcomes, real), s"found ${c.outcomes}, but rows have $real")
      val state = MatchState.of(c.outcomes)
      proved = proved.updated(state, proved(state) + 1)
    }
    // If everything were unknown, no outcome could be missing. Therefore many cases must have been proved.
    assert(proved(MatchState.FullyMatching) > 200, proved)
    assert(proved(MatchState.NotMatching) > 200, proved)
  }

  test("an outcome of Spark's own evaluation of a function is never missing") {
    var proved = Map.empty[Class[_], Int].withDefaultValue(0)
    forAll(RandomCases.ofFunction, minSuccessful(24000)) { c =>
      val real = BruteForce.outcomesOf(c.predicate, c.columns, c.rows)
      assert(BruteForce.contains(c.outcomes, real), s"found ${c.outcomes}, but rows have $real")
      if (c.rows.distinct.size > 1 && MatchState.of(c.outcomes) != MatchState.PartiallyMatching)
        c.predicate.foreach(e => proved = proved.updated(e.getClass, proved(e.getClass) + 1))
    }
    for (function <- functions) assert(proved(function) > 10, function)
  }

  private val functions: Seq[Class[_]] = Seq(
    classOf[Like],
    classOf[RLike],
    classOf[Quarter],
    classOf[Month],
    classOf[DayOfMonth],
    classOf[WeekOfYear],
    classOf[DayOfWeek],
    classOf[Hour],
    classOf[Minute],
    classOf[SecondWithFraction],
    classOf[DateFormatClass],
    classOf[FromUnixTime],
    classOf[AddMonths],
    classOf[LastDay],
    classOf[DateDiff],
    classOf[Divide],
    classOf[IntegralDivide]
  )

  test("unknown facts never exclude an outcome that known facts allow") {
    forAll(RandomCases.gen, minSuccessful(1000)) { c =>
      val nothingKnown = evaluator(c.predicate, c.columns).outcomes(_ => ColumnFacts.Unknown)
      assert(BruteForce.contains(nothingKnown, c.outcomes))
    }
  }
}
