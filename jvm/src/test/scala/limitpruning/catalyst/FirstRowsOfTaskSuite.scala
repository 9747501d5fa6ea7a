package limitpruning.catalyst

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{DataType, IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.SparkSuite

class FirstRowsOfTaskSuite extends AnyFunSuite with SparkSuite {
  private val types = Array[DataType](IntegerType, StringType)

  private def rows = (0 until 100).iterator.map { i =>
    InternalRow(if (i % 3 == 0) null else i, if (i % 7 == 0) null else UTF8String.fromString("s" * i))
  }

  private def sent(rows: Iterator[InternalRow], n: Int, types: Array[DataType]): Seq[InternalRow] = {
    val _ = spark // compression needs its settings
    FirstRowsOfTask.toBytes(n, types)(rows).toSeq.flatMap(FirstRowsOfTask.ofBytes(_, types.length))
  }

  test("the first rows arrive as they are, whatever class they have") {
    val project = UnsafeProjection.create(types)
    val expected = rows.map(project(_).copy()).toSeq
    for (n <- Seq(0, 1, 99, 100, 101)) {
      assert(sent(rows, n, types) == expected.take(n))
      // One row object that changes, as operators return it.
      assert(sent(rows.map(project(_)), n, types) == expected.take(n))
    }
    assert(sent(Iterator.empty, 5, types).isEmpty)
  }

  test("many bytes are sent in parts") {
    def long = (0 until 50).iterator.map(i => InternalRow(i, UTF8String.fromString("s" * 1000000)))
    assert(FirstRowsOfTask.toBytes(50, types)(long).length == 10)
    assert(sent(long, 49, types).map(_.getInt(0)) == (0 until 49))
  }

  test("rows without columns are counted") {
    assert(sent(rows.map(_ => InternalRow()), 5, Array.empty).size == 5)
  }

  test("no more rows are read than are needed") {
    val read = rows.buffered
    val _ = sent(read, 5, types)
    assert(read.size == 95)
  }
}
