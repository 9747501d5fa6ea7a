package limitpruning.report

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.types.IntegerType
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, Values}
import limitpruning.search.InspectedChunk

class ColumnLayoutSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private def layout(ranges: (Int, Int)*): ColumnLayout = {
    val layout =
      new ColumnLayout(
        LeafColumn(AttributeReference("c", IntegerType)(), Nil, IntegerType),
        isPartition = false
      )
    for ((min, max) <- ranges)
      layout.add(InspectedChunk(ColumnFacts(Values.Range(min, max), Nulls.No), false, false, false))
    layout
  }

  test("disjoint row groups do not overlap, equal ones all do") {
    assert(layout(0 -> 9, 10 -> 19, 20 -> 29).overlap.contains(0.0))
    assert(layout(0 -> 9, 0 -> 9, 0 -> 9).overlap.contains(1.0))
    assert(layout(0 -> 10, 10 -> 19).overlap.contains(1.0), "the value 10 may be in both")
  }

  test("fewer than two ranges have no overlap") {
    assert(layout().overlap.isEmpty && layout(0 -> 9).overlap.isEmpty)
  }

  test("the overlap equals that of comparing all pairs") {
    val range = for (min <- Gen.chooseNum(0, 20); length <- Gen.chooseNum(0, 8)) yield min -> (min + length)
    forAll(Gen.chooseNum(2, 12).flatMap(Gen.listOfN(_, range))) { ranges =>
      val pairs = ranges.combinations(2).toSeq ++ ranges.diff(ranges.distinct).map(r => Seq(r, r))
      val all = for (i <- ranges.indices; j <- ranges.indices if i < j) yield (ranges(i), ranges(j))
      val both = all.count { case ((a, b), (c, d)) => a <= d && c <= b }
      assert(pairs.nonEmpty && math.abs(layout(ranges: _*).overlap.get - both.toDouble / all.size) < 1e-9)
    }
  }

  test("the metadata of a column are counted") {
    val counted = layout(0 -> 1)
    counted.add(InspectedChunk(
      ColumnFacts.Unknown,
      hasPageIndex = true,
      hasDictionary = true,
      hasBloomFilter = true
    ))
    counted.add(InspectedChunk(
      ColumnFacts.AllNull,
      hasPageIndex = true,
      hasDictionary = false,
      hasBloomFilter = false
    ))
    assert((counted.minMax, counted.nullCounts, counted.pageIndexes) == ((1, 2, 2)))
    assert((counted.dictionaries, counted.bloomFilters) == ((1, 1)))
  }
}
