package limitpruning.scan

import org.scalatest.funsuite.AnyFunSuite

class SharedThresholdSuite extends AnyFunSuite {
  private val ascending: Ordering[Any] = Ordering.by((place: Any) => place.asInstanceOf[Int])

  private final class Told(limit: Int) {
    val threshold = new SharedThreshold
    def tell(stage: Int, partition: Int, place: Int, rows: Long): Option[Any] = {
      threshold.improve(stage, partition, place, rows, limit, ascending)
      threshold.place(stage)
    }
  }

  test("rows of several partitions add up to a threshold") {
    val told = new Told(limit = 5)
    assert(told.tell(1, partition = 0, place = 7, rows = 3).isEmpty)
    assert(told.tell(1, partition = 1, place = 9, rows = 2).contains(9))
    assert(told.tell(1, partition = 2, place = 8, rows = 2).contains(8))
    assert(told.tell(1, partition = 3, place = 99, rows = 1000).contains(8), "never worse")
  }

  test("later reports of a partition replace its earlier ones, also if its task is repeated") {
    val told = new Told(limit = 5)
    assert(told.tell(1, partition = 0, place = 7, rows = 3).isEmpty)
    assert(told.tell(1, partition = 0, place = 7, rows = 3).isEmpty, "the same three rows")
    assert(told.tell(1, partition = 0, place = 8, rows = 4).isEmpty)
    assert(told.tell(1, partition = 0, place = 9, rows = 5).contains(9))
  }

  test("places that cannot become the threshold are not compared again") {
    var compared = 0
    val counting: Ordering[Any] = (a: Any, b: Any) => {
      compared += 1
      ascending.compare(a, b)
    }
    val threshold = new SharedThreshold
    for (partition <- 1 to 1000) threshold.improve(1, partition, place = -partition, 5, limit = 5, counting)
    assert(threshold.place(1).contains(-1000))
    assert(compared < 10 * 1000)
  }

  test("line 40: another stage starts without a threshold") {
    val told = new Told(limit = 2)
    assert(told.tell(1, partition = 0, place = 7, rows = 2).contains(7))
    assert(told.threshold.place(2).isEmpty)
    assert(told.tell(2, partition = 1, place = 9, rows = 1).isEmpty)
    assert(told.threshold.place(1).isEmpty)
    assert(told.tell(2, partition = 0, place = 9, rows = 1).contains(9))
  }

  test("it is empty after deserialization") {
    val told = new Told(limit = 1)
    val _ = told.tell(1, partition = 0, place = 7, rows = 1)
    val bytes = new java.io.ByteArrayOutputStream
    new java.io.ObjectOutputStream(bytes).writeObject(told.threshold)
    val copy = new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(bytes.toByteArray)) {
      override def resolveClass(desc: java.io.ObjectStreamClass): Class[_] =
        Class.forName(desc.getName, false, getClass.getClassLoader)
    }.readObject().asInstanceOf[SharedThreshold]
    assert(copy.place(1).isEmpty)
    copy.improve(1, 0, 3, 1, 1, ascending)
    assert(copy.place(1).contains(3))
  }
}
