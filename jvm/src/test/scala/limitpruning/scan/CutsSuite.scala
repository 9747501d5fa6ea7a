package limitpruning.scan

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.select.RowRange

class CutsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def ranges(rows: Seq[Boolean]): Seq[RowRange] =
    RowRange.joined(rows.indices.filter(rows(_)).map(row => RowRange(row.toLong, row + 1L)))

  /** For each row: whether it is read, and whether it is due. */
  private val rows = Gen.listOf(Gen.oneOf((false, false), (true, false), (true, true)))

  test("each row that is read is due or not, in batches that never contain both") {
    forAll(rows, Gen.choose(1, 5), minSuccessful(500)) { (rows, batchSize) =>
      val cuts = new Cuts(ranges(rows.map(_._1)), ranges(rows.map(_._2)))
      val read = rows.filter(_._1).map(_._2)
      assert(cuts.areSome == read.contains(false))
      var left = read
      while (left.nonEmpty) {
        val batch = cuts.left.min(batchSize.toLong).min(left.size.toLong).toInt
        assert(left.take(batch).forall(_ == cuts.isDue))
        cuts.pass(batch.toLong)
        left = left.drop(batch)
      }
    }
  }

  test("a batch across a cut is an error") {
    val cuts = new Cuts(Seq(RowRange(0, 9)), Seq(RowRange(2, 9)))
    assertThrows[IllegalStateException](cuts.pass(3))
  }
}
