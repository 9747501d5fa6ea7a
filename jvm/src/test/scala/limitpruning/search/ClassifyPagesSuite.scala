package limitpruning.search

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.predicate.MatchState
import limitpruning.search.PagesFixture._
import limitpruning.select.RowRange
import limitpruning.testing.{PagedFile, TempFolder}

class ClassifyPagesSuite extends AnyFunSuite with TempFolder with ScalaCheckPropertyChecks {
  private val fields = "optional int32 a; optional int32 b;"

  private def classified(
      rows: Seq[Seq[Any]],
      pageRows: Int = 16
  )(predicate: Expression*): ClassifiedRowGroup = {
    val path = PagedFile.write(folder.resolve("f.parquet"), fields, rows, pageRows = pageRows)
    refined(status(path))(predicate: _*).rowGroups.head
  }

  /** Which of the rows satisfy a predicate. */
  private def satisfied(predicate: Expression, rows: Seq[Seq[Any]]): IndexedSeq[Boolean] = {
    val bound = BindReferences.bindReference[Expression](predicate, AttributeSeq(Seq(a, b)))
    rows.map(row => bound.eval(InternalRow.fromSeq(row)) == true).toIndexedSeq
  }

  test("finds the fully matching pages of a partially matching row group") {
    val found = classified((0 until 500).map(i => Seq(i, 0)))(
      GreaterThanOrEqual(a, Literal(100)),
      LessThan(a, Literal(300))
    )
    assert(found.state == MatchState.PartiallyMatching)
    val Seq(RowRange(from, until)) = found.matching: @unchecked
    assert(100 <= from && from < 130 && 270 < until && until <= 300)
  }

  test("a row group is not matching if no page matches, and fully matching if all pages do") {
    // Only the pages show that no value is between 100 and 900.
    val gap = (0 until 100).map(i => Seq(i, 0)) ++ (900 until 1000).map(i => Seq(i, 0))
    assert(classified(gap, pageRows = 10)(EqualTo(a, Literal(500))) ==
      ClassifiedRowGroup.NotMatching.copy(by = Layer.Pages))
    val outside = Or(LessThan(a, Literal(200)), GreaterThan(a, Literal(800)))
    assert(classified(gap, pageRows = 10)(outside) ==
      ClassifiedRowGroup.fullyMatching(200).copy(by = Layer.Pages))
    assert(classified(gap, pageRows = 15)(outside).matching == Seq(RowRange(0, 90), RowRange(105, 200)))
  }

  test("a page of nulls matches IS NULL, and no comparison") {
    val rows = (0 until 300).map(i => Seq(if (i / 100 == 1) null else i, 0))
    val isNull = classified(rows)(IsNull(a)).matching
    assert(isNull.nonEmpty && isNull.forall(range => 100 <= range.from && range.until <= 200))
    val isOther = classified(rows)(Not(EqualTo(a, Literal(1000)))).matching
    assert(isOther.nonEmpty && isOther.forall(range => range.until <= 100 || 200 <= range.from))
  }

  private val column: Gen[Int => Integer] = for {
    step <- Gen.oneOf(1, 7, 40)
    nulls <- Gen.oneOf(0, 0, 3, 50)
    offset <- Gen.choose(0, 5)
    seed <- Gen.choose(1, 1000)
  } yield (i: Int) => {
    val noise = new scala.util.Random(seed * 1000L + i).nextInt(step)
    if (nulls > 0 && (i / nulls) % 4 == 1) null else Integer.valueOf(i / step + offset + noise / 5)
  }

  private val predicates: Gen[Expression] = {
    val bound = Gen.choose(-5, 130).map(Literal(_))
    val atom = Gen.zip(Gen.oneOf(a, b), bound).flatMap { case (c, v) =>
      Gen.oneOf[Expression](
        LessThan(c, v),
        GreaterThan(c, v),
        EqualTo(c, v),
        Not(EqualTo(c, v)),
        LessThanOrEqual(Add(c, Literal(1)), v),
        IsNull(c),
        EqualNullSafe(c, v)
      )
    }
    val columns = Gen.oneOf[Expression](LessThan(a, b), GreaterThanOrEqual(a, b))
    val leaf = Gen.frequency(6 -> atom, 1 -> columns)
    Gen.frequency(
      3 -> leaf,
      3 -> Gen.zip(leaf, leaf).map { case (x, y) => And(x, y) },
      2 -> Gen.zip(leaf, leaf).map { case (x, y) => Or(x, y) },
      1 -> leaf.map(Not(_))
    )
  }

  test(
    "for any pages: proved rows match, and a not matching row group has no matching row"
  ) {
    val cases =
      Gen.zip(column, column, Gen.choose(1, 200), Gen.oneOf(3, 5, 16, 1000), Gen.listOfN(25, predicates))
    var proved, parts = 0
    forAll(cases, minSuccessful(60)) { case (first, second, size, pageRows, predicates) =>
      val rows = (0 until size).map(i => Seq[Any](first(i), second(i)))
      val path = PagedFile.write(folder.resolve("p.parquet"), fields, rows, pageRows = pageRows)
      for (predicate <- predicates) {
        val found = refined(status(path))(predicate).rowGroups.head
        val wanted = satisfied(predicate, rows)
        for (range <- found.matching; row <- range.from until range.until) {
          proved += 1
          assert(wanted(row.toInt), s"row $row of $rows for $predicate")
        }
        if (found.state == MatchState.PartiallyMatching && found.matching.nonEmpty) parts += 1
        if (found.state == MatchState.NotMatching)
          assert(!wanted.contains(true), s"$rows, $predicate")
        val matching = found.matching.flatMap(range => range.from until range.until).toSet
        if (found.isDecided)
          assert(rows.indices.forall(i => matching(i.toLong) == wanted(i)))
        if (found.state == MatchState.FullyMatching)
          assert(!wanted.contains(false), s"$rows, $predicate")
      }
    }
    assert(proved > 5000 && parts > 50, "too few cases")
  }
}
