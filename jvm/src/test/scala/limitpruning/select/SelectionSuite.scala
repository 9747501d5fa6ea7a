package limitpruning.select

import org.apache.spark.sql.catalyst.InternalRow
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.Selections.{file, listed, rowGroup}

class SelectionSuite extends AnyFunSuite {

  test("counts rows, row groups and the bytes of all columns over all files") {
    val wide = rowGroup(3, 15, rows = 50).copy(columns =
      Selections.columns(
        Seq("a") -> ColumnBytes(7),
        Seq("b", "c") -> ColumnBytes(5)
      ) // and one that is not read
    )
    val selection =
      Selection(Seq(
        file("a", 0 -> 10, 1 -> 20),
        SelectedFile(listed("b"), Selections.someVersion, Seq(wide))
      ))
    assert(selection.rows == 250)
    assert(selection.rowGroups == 3)
    assert(selection.bytes == 45)
  }

  test("in a row group that is cut, only the rows to read and their pages count") {
    val pages = ColumnBytes(100, Some(SelectedPages(bytes = 30, pages = 2, total = 9)))
    val cut = rowGroup(0, 110, rows = 50)
      .copy(columns = Selections.columns(Seq("a") -> pages), ranges = Seq(RowRange(5, 15), RowRange(20, 21)))
    val selection =
      Selection(Seq(SelectedFile(listed("a"), Selections.someVersion, Seq(cut, rowGroup(1, 7, rows = 8)))))
    assert(selection.rows == 11 + 8 && selection.rowsCut == 39)
    assert(selection.rowRanges == 2 && selection.rowGroups == 2)
    assert(selection.bytes == 30 + 10 + 7)
    assert(selection !=
      Selection(Seq(SelectedFile(listed("a"), Selections.someVersion, Seq(rowGroup(0, 0), rowGroup(1, 7))))))
  }

  test("a file that two partitions share, or that is listed twice, is two files") {
    val once = Selections.listed("a")
    val again = once.copy(position = once.position + 1, partitionValues = InternalRow(1))
    val selection =
      Selection(Seq(SelectedFile(once, Selections.someVersion, Seq(rowGroup(0, 1)))), Seq(again))
    assert(selection.listed == Seq(once, again))
  }

  test("line 19: rows beyond an Int add up") {
    val huge = SelectedFile(
      listed("a"),
      Selections.someVersion,
      Seq.tabulate(3)(i => rowGroup(i, 1, rows = Int.MaxValue.toLong))
    )
    assert(Selection(Seq(huge)).rows == 3L * Int.MaxValue)
  }

  test("two selections are the same only if they read the same row groups of the same version of a file") {
    val one = Selection(Seq(file("a", 0 -> 10)))
    assert(one == Selection(Seq(file("a", 0 -> 10))))
    assert(one != Selection(Seq(file("a", 1 -> 10))))
    assert(one != Selection(Seq(file("b", 0 -> 10))))
    assert(one != Selection(Seq(file("a", 0 -> 10).copy(version = Selections.someVersion))))
  }
}
