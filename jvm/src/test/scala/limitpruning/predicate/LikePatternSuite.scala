package limitpruning.predicate

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.MatchState._
import limitpruning.predicate.Values.Range
import limitpruning.testing.BruteForce
import limitpruning.testing.Evaluators.evaluator

class LikePatternSuite extends AnyFunSuite {
  private val ordering = SupportedTypes.ordering(StringType)
  private val s = AttributeReference("s", StringType)()
  private def text(value: String): UTF8String = UTF8String.fromString(value)
  private def like(pattern: String, escape: Char = '\\'): Like =
    Like(s, Literal(text(pattern), StringType), escape)

  private def state(predicate: Expression, min: String, max: String): MatchState =
    MatchState.of(evaluator(predicate, Seq(s)).outcomes(_ =>
      ColumnFacts(Range(text(min), text(max)), Nulls.No)
    ))

  private def texts(letters: Seq[String], length: Int): Seq[String] = (0 until length).foldLeft(Seq(""))(
    (all, _) => all ++ all.flatMap(s => letters.map(s + _))
  ).distinct

  test("should find the prefix before the first wildcard, with escaped characters") {
    def prefix(pattern: String, escape: Char = '\\') = LikePattern.of(pattern, escape).map(_.prefix)
    assert(prefix("Alp_ne%").contains("Alp"))
    assert(prefix("Alp%ne_").contains("Alp"))
    assert(prefix("a\\_b\\%c\\\\d_").contains("a_b%c\\d"))
    assert(prefix("a/_b\\c%", '/').contains("a_b\\c"))
    assert(prefix("_a").contains("") && prefix("").contains(""))
    assert(prefix("a%%b", '%').contains("a%b"), "the escape character is no wildcard")
  }

  test("a pattern that raises an error proves nothing") {
    for (
      (pattern, escape) <- Seq(("a\\", '\\'), ("a\\b%", '\\'), ("Alp_\\", '\\'), ("ab%", '%'), ("a/b", '/'))
    ) {
      assert(LikePattern.of(pattern, escape).isEmpty, pattern)
      assert(Try(Like(Literal("a"), Literal(pattern), escape).eval()).isFailure, pattern)
      assert(state(like(pattern, escape), "x", "y") == PartiallyMatching)
      assert(state(Not(like(pattern, escape)), "x", "y") == PartiallyMatching)
    }
  }

  test("line 15: a prefix is necessary, and only sufficient if nothing but % follows") {
    for (pattern <- Seq("Alp_ne%", "Alp%ne", "Alp_")) {
      assert(state(like(pattern), "B", "C") == NotMatching, pattern)
      assert(state(Not(like(pattern)), "B", "C") == FullyMatching, pattern)
      assert(state(like(pattern), "Alpine", "Alpine Goat") == PartiallyMatching, pattern)
      assert(
        state(like(pattern), "Alpine", "Alpine") == MatchState.of(
          if (pattern == "Alp_") Outcomes.False else Outcomes.True
        ),
        "one value is evaluated"
      )
      assert(state(like(pattern), "Al", "Alq") == PartiallyMatching, pattern)
    }
    assert(state(like("100\\%%"), "100% of 3", "100% of 8") == FullyMatching)
    assert(state(like("100\\%%"), "100 ", "100$") == NotMatching)
    assert(state(like("a\\_b"), "a_b", "a_c") == PartiallyMatching)
    assert(state(like("a\\_b"), "a_c", "a_d") == NotMatching)
    assert(state(like("%%"), "a", "b") == FullyMatching)
  }

  test("line 7: nulls stay possible") {
    def outcomes(pattern: String, facts: ColumnFacts) = evaluator(like(pattern), Seq(s)).outcomes(_ => facts)
    val beyond = Range(text("x"), text("y"))
    assert(outcomes("a_", ColumnFacts(beyond, Nulls.Unknown)) == Outcomes.False.union(Outcomes.Null))
    assert(outcomes("a_", ColumnFacts.AllNull) == Outcomes.Null)
    assert(outcomes("a_", ColumnFacts.Unknown) == Outcomes.Any)
    assert(outcomes("%", ColumnFacts(beyond, Nulls.Unknown)) == Outcomes.True.union(Outcomes.Null))
  }

  test("line 26: patterns that are no literals, and strings with other collations, have no prefix") {
    assert(LikePattern.of(Like(s, s, '\\')).isEmpty)
    assert(LikePattern.of(Like(s, Literal(null, StringType), '\\')).isEmpty)
    val lower = StringType("UTF8_LCASE")
    val other = AttributeReference("s", lower)()
    assert(LikePattern.of(Like(other, Literal(text("a%"), StringType), '\\')).isEmpty)
    assert(LikePattern.of(Like(s, Literal(text("a%"), lower), '\\')).isEmpty)
  }

  test("bytes that are not UTF-8 match U+FFFD, so a prefix ends before it, and before a surrogate") {
    val broken = UTF8String.fromBytes(Array[Byte](97, -1, 98))
    assert(Like(Literal(broken, StringType), Literal(text("a\uFFFD_"), StringType), '\\').eval() == true)
    assert(LikePattern.of("a\uFFFDb%", '\\').exists(_.prefix == "a"))
    assert(LikePattern.of("a\uD83D\uDC3Fb%", '\\').exists(_.prefix == "a"))
    val facts = ColumnFacts(Range(broken, broken), Nulls.No)
    for (pattern <- Seq("a\uFFFD_", "a\uFFFDb", "a\uFFFD%"))
      assert(evaluator(like(pattern), Seq(s)).outcomes(_ => facts).canBeTrue, pattern)
  }

  test("no outcome of a pattern is missing, for any pattern of a few characters and any escape character") {
    val domain = texts(Seq("a", "b", "%", "_", "\\"), 3)
    val bounds = texts(Seq("a", "\\", "_"), 2)
    val ranges = for (min <- bounds; max <- bounds if ordering.lteq(text(min), text(max)))
      yield ColumnFacts(Range(text(min), text(max)), Nulls.No)
    var decided = 0
    for (pattern <- texts(Seq("a", "%", "_", "\\"), 4); escape <- Seq('\\', '/', 'a', '%', '_')) {
      val predicate = like(pattern, escape)
      val results = domain.map(value =>
        text(value) -> Try(Like(Literal(text(value), StringType), predicate.right, escape).eval()).toOption
      )
      val compiled = evaluator(predicate, Seq(s))
      for (facts @ ColumnFacts(Range(min, max), _) <- ranges) {
        val real = BruteForce.union(results.collect {
          case (value, Some(result)) if ordering.lteq(min, value) && ordering.lteq(value, max) =>
            BruteForce.outcome(result)
        })
        val found = compiled.outcomes(_ => facts)
        assert(BruteForce.contains(found, real), s"of $predicate over $facts")
        if (results.head._2.isEmpty) assert(found == Outcomes.Any, s"$predicate raises an error")
        else if (found.isDecided) decided += 1
      }
    }
    assert(decided > 10000, decided)
  }
}
