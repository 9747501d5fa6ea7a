package limitpruning.scan

import java.io.Closeable

import org.apache.spark.sql.vectorized.ColumnarBatch
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.select.{FileVersion, RowRange}

class RowsInRangesSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private val rowGroup: Gen[PlannedRowGroup] = for {
    rows <- Gen.choose(1L, 20L)
    bounds <- Gen.nonEmptyListOf(Gen.choose(0L, rows))
  } yield {
    val ranges = bounds.distinct.sorted.grouped(2).collect { case List(from, until) =>
      RowRange(from, until)
    }.toSeq
    PlannedRowGroup(0, rows, if (ranges.isEmpty) Seq(RowRange(0, 1)) else ranges, 1)
  }

  /** Adjacent row groups. */
  private def run(planned: PlannedRowGroup*): PlannedRun = PlannedRun(
    FileVersion(0, 0, 0),
    planned.zipWithIndex.map { case (rowGroup, i) => rowGroup.copy(ordinal = i) }
  )

  test("returns only the planned rows") {
    forAll(Gen.nonEmptyListOf(rowGroup), minSuccessful(500)) { planned =>
      val rows = for ((rowGroup, i) <- planned.zipWithIndex; row <- 0L until rowGroup.rows) yield (i, row)
      val due = for (
        (rowGroup, i) <- planned.zipWithIndex; range <- rowGroup.ranges; row <- range.from until range.until
      )
        yield (i, row)
      assert(new RowsInRanges(rows.iterator, run(planned: _*)).toSeq == due)
    }
  }

  test("does not read on after the last planned row") {
    val rows = Iterator.from(0).map(i => if (i < 3) i else fail("this row is not asked for"))
    assert(new RowsInRanges(rows, run(PlannedRowGroup(0, 9, Seq(RowRange(1, 3)), 1))).toSeq == Seq(1, 2))
  }

  test("line 50: ends early if the file does, so that missing rows are detected") {
    assert(new RowsInRanges(
      Iterator("a"),
      run(PlannedRowGroup(0, 9, Seq(RowRange(0, 1), RowRange(5, 6)), 1))
    ).toSeq ==
      Seq("a"))
  }

  test("batches, whose rows it cannot separate, are an error") {
    val batches = new RowsInRanges(
      Iterator(new ColumnarBatch(Array.empty, 9)),
      run(PlannedRowGroup(0, 9, Seq(RowRange(0, 1)), 1))
    )
    assert(intercept[IllegalStateException](batches.next()).getMessage.contains("spark.limitPruning"))
  }

  test("row groups that are not adjacent, whose other rows it does not know, are an error") {
    val planned = Seq(0, 2).map(PlannedRowGroup(_, 1, RowRange.all(1), 1))
    val error =
      intercept[IllegalStateException](new RowsInRanges(
        Iterator("a"),
        PlannedRun(FileVersion(0, 0, 0), planned)
      ))
    assert(error.getMessage.contains("spark.limitPruning"))
  }

  test("closes the reader") {
    var closed = false
    val reader = new Iterator[Any] with Closeable {
      override def hasNext: Boolean = false
      override def next(): Any = throw new NoSuchElementException
      override def close(): Unit = closed = true
    }
    new RowsInRanges(reader, run(PlannedRowGroup(0, 1, RowRange.all(1), 1))).close()
    assert(closed)
  }
}
