package limitpruning.select

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.Selections.{file, rowGroup}

class SelectionSuite extends AnyFunSuite {

  test("counts rows, row groups and the bytes of all columns over all files") {
    val wide = rowGroup(3, 7, rows = 50).copy(columnBytes = Map(Seq("a") -> 7L, Seq("b", "c") -> 5L))
    val selection = Selection(Seq(file("a", 0 -> 10, 1 -> 20), SelectedFile("b", 1, 1, Seq(wide))))
    assert(selection.rows == 250)
    assert(selection.rowGroups == 3)
    assert(selection.bytes == 42)
  }

  test("line 19: rows beyond an Int add up") {
    val huge = SelectedFile("a", 1, 1, Seq.tabulate(3)(i => rowGroup(i, 1, rows = Int.MaxValue.toLong)))
    assert(Selection(Seq(huge)).rows == 3L * Int.MaxValue)
  }

  test("two selections are the same only if they read the same row groups of the same version of a file") {
    val one = Selection(Seq(file("a", 0 -> 10)))
    assert(one == Selection(Seq(file("a", 0 -> 10))))
    assert(one != Selection(Seq(file("a", 1 -> 10))))
    assert(one != Selection(Seq(file("b", 0 -> 10))))
    assert(one != Selection(Seq(file("a", 0 -> 10).copy(modificationTime = 1))))
  }
}
