package limitpruning.predicate

import java.nio.charset.StandardCharsets.ISO_8859_1

import org.apache.spark.sql.catalyst.expressions.{Literal, StartsWith}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Values.Range
import limitpruning.testing.BruteForce

class PrefixesSuite extends AnyFunSuite {
  private val ordering = SupportedTypes.ordering(StringType)

  /** One byte for each character: `\u00ff` is the byte 0xFF, which is never part of valid UTF-8. */
  private def bytes(text: String): UTF8String = UTF8String.fromBytes(text.getBytes(ISO_8859_1))

  private def strings(letters: Seq[String], length: Int): Seq[String] = (0 until length).foldLeft(Seq(""))(
    (all, _) => all ++ all.flatMap(s => letters.map(s + _))
  ).distinct

  for ((name, letters) <- Seq("letters" -> Seq("a", "b"), "bytes up to 0xFF" -> Seq("a", "\u00ff")))
    test(s"startsWith has exactly the outcomes of all strings of $name that the facts allow") {
      val domain = strings(letters, 4).map(bytes)
      val bounds = strings(letters, 3).map(bytes)
      val ranges = for (min <- bounds; max <- bounds if ordering.lteq(min, max)) yield Range(min, max)
      for (range <- ranges :+ Values.Unknown :+ Values.Empty; prefix <- strings(letters, 2).map(bytes)) {
        val facts = ColumnFacts(range, if (range == Values.Empty) Nulls.All else Nulls.No)
        val real = BruteForce.union(BruteForce.possible(facts, domain, ordering).map { value =>
          BruteForce.outcome(StartsWith(Literal(value, StringType), Literal(prefix, StringType)).eval())
        })
        val found = Prefixes.startsWith(facts, prefix)
        if (range == Values.Unknown) assert(BruteForce.contains(found, real))
        else assert(found == real, s"for $facts LIKE '$prefix%'")
      }
    }

  private def alpine(min: String, max: String, nulls: Nulls = Nulls.No): Outcomes =
    Prefixes.startsWith(ColumnFacts(Range(bytes(min), bytes(max)), nulls), bytes("Alpine"))

  test("a range between two strings with the prefix is proved") {
    assert(alpine("Alpine Goat", "Alpine Sheep") == Outcomes.True)
    assert(alpine("Alpine", "Alpine\u00ff") == Outcomes.True)
  }

  test("min and max that are truncated to fewer characters than the prefix prove nothing") {
    assert(alpine("Alp", "Alq") == Outcomes.TrueOrFalse)
    assert(alpine("Alpine", "Alq") == Outcomes.TrueOrFalse)
    assert(alpine("Alp", "Alpine Bat") == Outcomes.TrueOrFalse)
  }

  test("a range beside the prefix is disproved") {
    assert(alpine("Brown Bear", "Snow Vole") == Outcomes.False)
    assert(alpine("A", "Alp") == Outcomes.False)
    assert(alpine("Alpinf", "Alq") == Outcomes.False)
  }

  test("nulls that are not excluded remain possible, even with a proof") {
    assert(alpine("Alpine Goat", "Alpine Sheep", Nulls.Unknown) == Outcomes.True.union(Outcomes.Null))
    assert(Prefixes.startsWith(ColumnFacts.AllNull, bytes("A")) == Outcomes.Null)
  }

  test("a prefix that is necessary disproves, and proves nothing") {
    def outcomes(min: String, max: String, nulls: Nulls = Nulls.No) =
      Prefixes.onlyIfStartsWith(ColumnFacts(Range(bytes(min), bytes(max)), nulls), bytes("Alpine"))
    assert(outcomes("Alpine Goat", "Alpine Sheep") == Outcomes.TrueOrFalse)
    assert(outcomes("Alp", "Alq") == Outcomes.TrueOrFalse)
    assert(outcomes("Brown Bear", "Snow Vole") == Outcomes.False)
    assert(outcomes("Brown Bear", "Snow Vole", Nulls.Unknown) == Outcomes.False.union(Outcomes.Null))
    assert(Prefixes.onlyIfStartsWith(ColumnFacts.AllNull, bytes("A")) == Outcomes.Null)
    assert(Prefixes.onlyIfStartsWith(ColumnFacts.Unknown, bytes("A")) == Outcomes.Any)
  }
}
