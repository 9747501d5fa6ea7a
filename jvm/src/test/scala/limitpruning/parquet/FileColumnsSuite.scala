package limitpruning.parquet

import org.scalatest.funsuite.AnyFunSuite

class FileColumnsSuite extends AnyFunSuite {
  private val ab = FileColumns.named(Seq("a", "B"))
  private val a = FileColumns.named(Seq("A"))

  test("names count without their case, because files and tables may write them otherwise") {
    assert(ab.contains("A") && ab.contains("b") && !ab.contains("c"))
    assert(ab.covers(a) && !a.covers(ab))
  }

  test("all columns cover whatever is named, and only they cover themselves") {
    assert(FileColumns.All.covers(ab) && FileColumns.All.covers(FileColumns.All))
    assert(!ab.covers(FileColumns.All))
    assert(FileColumns.All.contains("anything"))
  }

  test("together they are what either names") {
    val both = a ++ FileColumns.named(Seq("c"))
    assert(both.contains("a") && both.contains("C") && !both.contains("b"))
    assert((a ++ FileColumns.All) == FileColumns.All && (FileColumns.All ++ a) == FileColumns.All)
  }
}
