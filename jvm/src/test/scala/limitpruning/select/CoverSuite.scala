package limitpruning.select

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.predicate.MatchState
import limitpruning.predicate.MatchState._

class CoverSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  /** A row group here is its number of rows. */
  private def cover(limit: Long)(files: (String, Seq[(Long, MatchState)])*): Cover[String, Long] = {
    val cover = new Cover[String, Long](limit, identity)
    files.foreach { case (file, rowGroups) => cover.add(file, rowGroups) }
    cover
  }

  test("takes fully matching row groups in order until they hold the limit, and no more") {
    val found = cover(5)(
      "a" -> Seq(2L -> FullyMatching, 9L -> PartiallyMatching, 2L -> FullyMatching),
      "b" -> Seq(9L -> NotMatching),
      "c" -> Seq(1L -> FullyMatching, 100L -> FullyMatching)
    )
    assert(found.result.contains(Seq("a" -> Seq(2L, 2L), "c" -> Seq(1L))))
    assert(found.rows == 5)
  }

  test("is not covered by one row too few, and says how many there were") {
    val found = cover(6)("a" -> Seq(5L -> FullyMatching, 100L -> PartiallyMatching))
    assert(!found.isComplete && found.result.isEmpty)
    assert(found.rows == 5)
  }

  test("files from which nothing is taken are not in the result") {
    assert(cover(1)("a" -> Nil, "b" -> Seq(1L -> FullyMatching)).result.contains(Seq("b" -> Seq(1L))))
  }

  test("files after the limit was covered change nothing") {
    val found = cover(1)("a" -> Seq(3L -> FullyMatching), "b" -> Seq(3L -> FullyMatching))
    assert(found.result.contains(Seq("a" -> Seq(3L))))
    assert(found.rows == 3)
  }

  test("line 19: row counts beyond an Int add up, and those beyond a Long do not turn negative") {
    val beyondInt = cover(3L * Int.MaxValue)("a" -> Seq.fill(3)(Int.MaxValue.toLong -> FullyMatching))
    assert(beyondInt.isComplete && beyondInt.rows == 3L * Int.MaxValue)
    val beyondLong = cover(Long.MaxValue)("a" -> Seq(1L -> FullyMatching, Long.MaxValue -> FullyMatching))
    assert(beyondLong.isComplete && beyondLong.rows == Long.MaxValue)
  }

  private val states: Gen[MatchState] = Gen.oneOf(NotMatching, PartiallyMatching, FullyMatching)
  private val tables = Gen.listOf(Gen.listOf(Gen.zip(Gen.choose(0L, 5L), states)))

  test("the choice is the shortest run of fully matching row groups, from the first, that holds the limit") {
    forAll(tables, Gen.choose(1L, 30L), minSuccessful(500)) { (files, limit) =>
      val named = files.zipWithIndex.map { case (rowGroups, i) => i.toString -> rowGroups }
      val inOrder = for ((file, rowGroups) <- named; (rows, FullyMatching) <- rowGroups) yield file -> rows
      val shortest = inOrder.inits.toSeq.reverse.find(_.map(_._2).sum >= limit)
      val chosen = cover(limit)(named: _*).result.map(_.flatMap { case (file, rows) => rows.map(file -> _) })
      assert(chosen == shortest)
    }
  }
}
