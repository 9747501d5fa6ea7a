package limitpruning.footers

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, EqualTo, Literal}
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.FileId

class LearnedSelectivitySuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private def file(path: String, time: Long = 5) = FileId(path, 1000, time, "")

  test("what was found counts for other literals, until the first file of the table changes") {
    val learned = new LearnedSelectivity(100)
    def of(value: Int, at: FileId) = learned.of(Seq(EqualTo(a, Literal(value))), at)
    of(1, file("/t/a")).add(10, areLeast = false)
    assert(of(2, file("/t/a")).rowsPerByte.isEmpty, "one search says little")
    of(2, file("/t/a")).add(4, areLeast = false)
    assert(of(3, file("/t/a")).rowsPerByte.contains(10.0))
    assert(of(3, file("/t/a", time = 6)).rowsPerByte.isEmpty)
    assert(learned.of(Seq(EqualTo(Literal(3), a)), file("/t/a")).rowsPerByte.isEmpty)
    learned.forget(_ == "/t/b")
    assert(of(3, file("/t/a")).rowsPerByte.contains(10.0))
    learned.forget(_ == "/t/a")
    assert(of(3, file("/t/a")).rowsPerByte.isEmpty)
  }

  test("the most rows of the last three searches count") {
    val learned = new LearnedSelectivity(100).of(Nil, file("/t/a"))
    val known = Seq(1, 100, 2, 3, 4).map { rows =>
      learned.add(rows, areLeast = false)
      learned.rowsPerByte
    }
    assert(known == Seq(None, Some(100), Some(100), Some(100), Some(4)))
  }

  test("a search that ended early counts only if it found more than those before") {
    val learned = new LearnedSelectivity(100).of(Nil, file("/t/a"))
    Seq(50, 60).foreach(learned.add(_, areLeast = true))
    assert(learned.rowsPerByte.isEmpty)
    Seq(5, 6).foreach(learned.add(_, areLeast = false))
    learned.add(4, areLeast = true)
    learned.add(6, areLeast = true)
    assert(learned.rowsPerByte.contains(6.0))
    learned.add(7, areLeast = true)
    assert(learned.rowsPerByte.contains(7.0))
  }

  test("nothing is remembered if the cache is off, or if there is no table") {
    val off = new LearnedSelectivity(0)
    (1 to 3).foreach(_ => off.of(Nil, file("/t/a")).add(5, areLeast = false))
    assert(off.of(Nil, file("/t/a")).rowsPerByte.isEmpty)
    Selectivity.unknown.add(5, areLeast = false)
    assert(Selectivity.unknown.rowsPerByte.isEmpty)
  }
}
