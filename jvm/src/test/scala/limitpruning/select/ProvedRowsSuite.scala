package limitpruning.select

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.Selections.file

class ProvedRowsSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val b = AttributeReference("b", IntegerType)()
  private val (one, two) = (EqualTo(a, Literal(1)), GreaterThan(b, Literal(2)))
  private val selection = Selection(Seq(file("f", 0 -> 10)))

  private def cover(conjuncts: Expression*): ProvedRows =
    ProvedRows(3, conjuncts, selection, SearchCounts(1, 1, 4, 3, 1), planningNanos = 5)

  test("is for the filters that were proved, in any order and any equal form") {
    assert(cover(one, two).isChosenFor(Seq(two, one)))
    assert(cover(one, two).isChosenFor(Seq(EqualTo(Literal(1), a), LessThan(Literal(2), b))))
    assert(cover().isChosenFor(Nil))
  }

  test("is not for more filters, or fewer, or others") {
    assert(!cover(one).isChosenFor(Seq(one, two)))
    assert(!cover(one, two).isChosenFor(Seq(one)))
    assert(!cover(one).isChosenFor(Seq(EqualTo(a, Literal(2)))))
    assert(!cover().isChosenFor(Seq(one)))
    assert(!cover(one).isChosenFor(Nil))
  }

  test("is not for filters over a column of the same name that is another one") {
    assert(!cover(one).isChosenFor(Seq(EqualTo(AttributeReference("a", IntegerType)(), Literal(1)))))
  }

  test("canonical forms differ only in the rows that are read") {
    val other = ProvedRows(9, Nil, selection, SearchCounts(9, 9, 9, 9, 9), planningNanos = 1)
    assert(cover(one).canonicalized == other.canonicalized)
    val elsewhere = cover(one).copy(selection = Selection(Seq(file("f", 1 -> 10))))
    assert(cover(one).canonicalized != elsewhere.canonicalized)
  }
}
