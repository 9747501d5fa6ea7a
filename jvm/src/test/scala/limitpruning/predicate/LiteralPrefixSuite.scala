package limitpruning.predicate

import java.util.regex.Pattern

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.MatchState._
import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.evaluator

class LiteralPrefixSuite extends AnyFunSuite {
  private val s = AttributeReference("s", StringType)()
  private def text(value: String): UTF8String = UTF8String.fromString(value)
  private def rlike(regex: String): RLike = RLike(s, Literal(text(regex), StringType))
  private def state(predicate: Expression, min: String, max: String): MatchState =
    MatchState.of(evaluator(predicate, Seq(s)).outcomes(_ =>
      ColumnFacts(Range(text(min), text(max)), Nulls.No)
    ))

  test("should find the literal characters after ^ or \\A") {
    for (
      (regex, prefix) <- Seq(
        "^GET /api/.*" -> "GET /api/",
        "\\AGET" -> "GET",
        "^10\\.0\\.[0-9]+$" -> "10.0.",
        "^a\\/b\\-c\\_d\\\\e" -> "a/b-c_d\\e",
        "^https?://x" -> "http",
        "^ab+" -> "a",
        "^ab{0,1}c" -> "a",
        "^ab*" -> "a",
        "^\\.?a" -> "",
        "^\u00e9t\u00e9(s)?" -> "\u00e9t\u00e9",
        "^a\uD83D\uDC3Fb" -> "a",
        "^a\uFFFDb" -> "a",
        "^a\\d" -> "a",
        "^a#b c" -> "a#b c",
        "^" -> "",
        "" -> ""
      )
    )
      assert(LiteralPrefix.ofRegex(regex) == prefix, regex)
  }

  test(
    "should find no prefix without an anchor, with an alternative or flags, or in a pattern that raises an error"
  ) {
    for (
      regex <- Seq(
        "abc",
        ".*abc",
        "(^abc)",
        "^(abc)",
        "^^abc",
        "^*abc",
        "^?abc",
        "^a|b",
        "^a(b|c)",
        "^ab[|]",
        "(?i)^abc",
        "^(?i)abc",
        "^abc(?i)d",
        "(?m)^abc",
        "^ab(?=c)",
        "^abc(",
        "^abc\\",
        "^abc[",
        "\\Babc",
        "\\Zabc",
        "\\\\Aabc",
        "\\^abc",
        "$abc",
        "^ab\\Q\\E?",
        "^abc\\Qd\\E"
      )
    )
      assert(LiteralPrefix.ofRegex(regex) == "", regex)
  }

  test("should find no prefix in a long regular expression, which may be deep") {
    assert(LiteralPrefix.ofRegex("^" + "a" * 999) == "a" * 999)
    assert(LiteralPrefix.ofRegex("^" + "a" * 1000) == "")
    assert(LiteralPrefix.ofRegex("^a" + "(" * 100000 + ")" * 100000) == "")
    assert(LiteralPrefix.ofRegex("^a" + "(" * 499 + ")" * 499) == "a")
  }

  test("line 15: a prefix of a regular expression is necessary, and never sufficient") {
    assert(state(rlike("^Alp"), "B", "C") == NotMatching)
    assert(state(Not(rlike("^Alp")), "B", "C") == FullyMatching)
    assert(state(rlike("^Alp"), "Alpine", "Alpine Goat") == PartiallyMatching)
    assert(state(rlike("^Alpx?"), "Al", "Alo") == NotMatching)
    for (regex <- Seq("Alp", "^Alp|C", "(?i)^b", "^b?", "^b*x", "^("))
      assert(state(rlike(regex), "B", "C") == PartiallyMatching, regex)
  }

  test("line 26: other collations and patterns that are no literals have no prefix") {
    val other = AttributeReference("s", StringType("UTF8_LCASE"))()
    for (
      e <- Seq[Expression](
        RLike(other, Literal(text("^a"), StringType)),
        RLike(s, s),
        RLike(s, Literal(null, StringType)),
        EqualTo(s, Literal(text("a"), StringType))
      )
    )
      assert(LiteralPrefix.unapply(e).isEmpty, e)
  }

  test("no string without the prefix matches, for any regular expression of a few parts") {
    val parts = Seq(
      "^",
      "\\A",
      "a",
      "b",
      "?",
      "*",
      "+",
      "{0}",
      "|",
      "\\.",
      ".",
      "(",
      ")",
      "[ab]",
      "$",
      "\\",
      "\uFFFD",
      "(?i)",
      "\\Q",
      "\\E",
      "{",
      "-"
    )
    val values =
      Seq("", "a", "b", "ab", "ba", "aa", "A", "AB", ".", ".a", "a.", "\na", "b\na", "(a", "-a", "a-", "^a")
        .map(text(_)) :+ UTF8String.fromBytes(Array[Byte](97, -1)) :+
        UTF8String.fromBytes(Array[Byte](-1, 97))
    var prefixes = 0
    for {
      length <- 1 to 3
      regex <- Iterator.iterate(Seq(""))(_.flatMap(r => parts.map(r + _))).drop(length).next()
      full = s"^a$regex"
      candidate <- Seq(regex, full)
      prefix = LiteralPrefix.ofRegex(candidate)
      if prefix.nonEmpty
    } {
      prefixes += 1
      val compiled = Pattern.compile(candidate)
      for (value <- values if compiled.matcher(value.toString).find(0))
        assert(value.startsWith(text(prefix)), s"$candidate matches $value")
    }
    assert(prefixes > 2000, prefixes)
  }
}
