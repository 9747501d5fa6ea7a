package limitpruning.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection}
import org.apache.spark.sql.types.{DataType, DoubleType, IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.predicate.FirstKey

class TopKeysSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  /** The reports while the values pass, and at the end. */
  private def told(limit: Int, key: FirstKey)(values: Any*): Seq[(Any, Long)] = {
    var told = Vector.empty[(Any, Long)]
    val top = new TopKeys(limit, key, (place, rows) => told :+= ((place, rows)))
    val project = projection(key.dataType) // returns the same row object again and again, like Spark
    values.foreach(value => top.note(project(InternalRow(value))))
    top.finish()
    told
  }

  private def projection(dataType: DataType): UnsafeProjection =
    UnsafeProjection.create(Seq(BoundReference(0, dataType, nullable = true)), Nil)

  private val ints = FirstKey(IntegerType, isDescending = false, nullsFirst = true)

  test("reports the last of the first rows as soon as there are enough") {
    assert(told(2, ints)(5, 3, 9, 1).head == ((5, 2L)))
    assert(told(2, ints)(5, 3, 9, 1).last == ((3, 2L)))
    assert(told(2, ints.copy(isDescending = true))(5, 3, 9, 1).last == ((5, 2L)))
  }

  test("too few rows are reported at the end, with their number") {
    assert(told(5, ints)(5, 3) == Seq((5, 2L)))
    assert(told(5, ints)() == Nil)
  }

  test("few rows are reported soon, many rows not one by one") {
    assert(told(1000, ints)(1 to 64: _*).map(_._2) == Seq(16, 32, 48, 64))
    val many = told(10, ints)(10000 to 1 by -1: _*)
    assert(many.size < 100 && many.last == ((10, 10L)))
  }

  test("the first better rows are reported soon") {
    assert(told(2, ints)(9, 8, 1, 2) == Seq((9, 2L), (8, 2L), (2, 2L)))
    val doubles = FirstKey(DoubleType, isDescending = false, nullsFirst = true)
    val places =
      told(2, doubles)(Double.NaN +: (1000 to 1 by -1).map(_.toDouble): _*).map(_._1.asInstanceOf[Double])
    assert(places.head.isNaN && places(1) == 1000.0 && places.size < 20)
  }

  test("nulls are at their place in the order") {
    assert(told(2, ints)(5, null, 3).last == ((3, 2L)))
    assert(told(2, ints.copy(nullsFirst = false))(5, null).last == ((null, 2L)))
  }

  test("copies strings") {
    val strings = FirstKey(StringType, isDescending = false, nullsFirst = true)
    val places = told(2, strings)(Seq("b", "a", "d", "c").map(UTF8String.fromString): _*)
    assert(places.last == ((UTF8String.fromString("b"), 2L)))
  }

  test("at the end, the last of the first rows has been reported") {
    forAll(Gen.listOf(Gen.choose(0, 1000)), Gen.choose(1, 40)) { (values, limit) =>
      val first = values.sorted.take(limit)
      val expected = first.lastOption.map(last => (last, first.size.toLong))
      assert(told(limit, ints)(values: _*).lastOption == expected)
    }
  }
}
