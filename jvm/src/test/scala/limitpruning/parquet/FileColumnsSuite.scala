package limitpruning.parquet

import org.scalatest.funsuite.AnyFunSuite

class FileColumnsSuite extends AnyFunSuite {
  private val ab = FileColumns.named(Seq("a", "B"))
  private val a = FileColumns.named(Seq("A"))

  test("names are not case-sensitive, because files and tables may spell them differently") {
    assert(ab.contains("A") && ab.contains("b") && !ab.contains("c"))
    assert(ab.covers(a) && !a.covers(ab))
  }

  test("of a column that is only read, the places of its chunks are needed and nothing else") {
    val aAndB = FileColumns.named(Seq("a"), read = Seq("B"))
    assert(aAndB.contains("a") && !aAndB.contains("b") && aAndB.locates("A") && aAndB.locates("b"))
    assert(!aAndB.locates("c") && ab.locates("a") && FileColumns.All.locates("anything"))
    assert(ab.covers(aAndB) && aAndB.covers(a) && !aAndB.covers(ab) && !a.covers(aAndB))
    assert((aAndB ++ ab) == ab && (a ++ FileColumns.named(Nil, read = Seq("b"))) == aAndB)
    assert(FileColumns.All.covers(aAndB) && (aAndB ++ FileColumns.All) == FileColumns.All)
  }

  test("all columns include any names, and only they include themselves") {
    assert(FileColumns.All.covers(ab) && FileColumns.All.covers(FileColumns.All))
    assert(!ab.covers(FileColumns.All))
    assert(FileColumns.All.contains("anything"))
  }

  test("a union contains the names of both") {
    val both = a ++ FileColumns.named(Seq("c"))
    assert(both.contains("a") && both.contains("C") && !both.contains("b"))
    assert((a ++ FileColumns.All) == FileColumns.All && (FileColumns.All ++ a) == FileColumns.All)
  }
}
