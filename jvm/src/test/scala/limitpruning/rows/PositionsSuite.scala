package limitpruning.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.RowRange

class PositionsSuite extends AnyFunSuite {

  private def groups(rows: Long*)(rowGroups: Long*) =
    Positions("f", rows.toArray).byRowGroup(rowGroups.toIndexedSeq)

  test("rows are by row group, and adjacent rows are one range") {
    assert(groups(12, 0, 9, 10, 1)(10, 5) ==
      Some(Seq(0 -> Seq(RowRange(0, 2), RowRange(9, 10)), 1 -> Seq(RowRange(0, 1), RowRange(2, 3)))))
    assert(groups(14)(10, 5) == Some(Seq(1 -> Seq(RowRange(4, 5)))))
    assert(groups()(10, 5) == Some(Nil))
  }

  test("row groups without rows have no positions") {
    assert(groups(0, 3)(0, 3, 0, 0, 1, 0) == Some(Seq(1 -> Seq(RowRange(0, 1)), 4 -> Seq(RowRange(0, 1)))))
  }

  test("a row behind the last one of the file is in no row group") {
    assert(groups(15)(10, 5).isEmpty)
    assert(groups(0)().isEmpty)
  }

  private def row(path: String, index: Long) = InternalRow(UTF8String.fromString(path), index)

  private def shown(positions: Seq[Positions]) = positions.map(some => some.path -> some.rows.toSeq)

  test("no row behind the last needed one is taken") {
    val rows = Iterator(row("a", 3), row("b", 0), row("a", 5)) ++
      Iterator.continually[InternalRow](fail("a row too many was read"))
    assert(shown(Positions.first(rows, 3)) == Seq("a" -> Seq(3L, 5L), "b" -> Seq(0L)))
  }

  test("the same row object may stand for all rows, as Spark's readers return them") {
    val reused = row("a", 0)
    val rows = Iterator(("a", 1L), ("b", 2L), ("a", 4L)).map { case (path, index) =>
      reused.update(0, UTF8String.fromString(path))
      reused.update(1, index)
      reused
    }
    assert(shown(Positions.first(rows, 10)) == Seq("a" -> Seq(1L, 4L), "b" -> Seq(2L)))
  }

  test("parts of one file from several tasks are merged, up to the limit") {
    val parts = Seq(Positions("b", Array(7, 8)), Positions("a", Array(1)), Positions("b", Array(3, 4, 5)))
    assert(shown(Positions.merged(parts, 5)) == Seq("b" -> Seq(7L, 8L, 3L, 4L), "a" -> Seq(1L)))
    assert(shown(Positions.merged(parts, 2)) == Seq("b" -> Seq(7L, 8L)))
    assert(shown(Positions.merged(parts, 100)).map(_._2.size).sum == 6)
    assert(Positions.merged(Nil, 5).isEmpty)
    // In linear time: each row may be in a file of its own.
    val many = Seq.tabulate(100000)(i => Positions(s"f$i", Array(i.toLong)))
    assert(Positions.merged(many, 99999).map(_.path) == many.take(99999).map(_.path))
  }

  test("positions are the same after they were sent") {
    val sent = Seq(Positions("file:/é/100%25", Array(0, Long.MaxValue, 7)), Positions("", Array()))
    assert(shown(Positions.ofBytes(Positions.toBytes(sent))) == shown(sent))
    assert(Positions.ofBytes(Positions.toBytes(Nil)).isEmpty)
  }
}
