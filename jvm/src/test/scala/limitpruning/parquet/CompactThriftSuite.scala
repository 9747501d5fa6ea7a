package limitpruning.parquet

import java.io.ByteArrayInputStream
import java.lang.management.ManagementFactory

import scala.util.Random

import org.apache.parquet.format.{FileMetaData, Util}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{FooterEdit, RawChunk, RawFooter}

class CompactThriftSuite extends AnyFunSuite {
  private val footer = FooterEdit.bytesOf(
    RawFooter("optional int32 a; optional binary s (STRING);")
      .rowGroup(3, RawChunk.between(1, 5).nulls(0), RawChunk.between("x", "z" * 300))
      .rowGroup(7, RawChunk.silent, RawChunk.silent.nulls(7))
      .metadata
  )

  private def bytes(values: Int*): Array[Byte] = values.map(_.toByte).toArray

  private def refuses(content: Array[Byte], problem: String): Assertion = {
    val error = intercept[MalformedThriftException](CompactThrift.check(content))
    assert(error.getMessage.contains(problem), content.take(20).toSeq)
  }

  test("accepts the output of Thrift, whatever follows it") {
    CompactThrift.check(footer)
    CompactThrift.check(footer ++ bytes(1, 2, 3))
  }

  test("line 80: finds the orders of columns, also of members that Thrift does not know") {
    assert(CompactThrift.columnOrders(footer) == Seq(1, 1))
    // The fields 6 and 7; of the elements, members 1, 3, 300, none, and two.
    val orders =
      bytes(0x68, 1, 'w', 0x19, 0x5c, 0x1c, 0, 0, 0x3c, 0, 0, 0x0c, 0xd8, 4, 0, 0, 0, 0x1c, 0, 0x2c, 0, 0)
    assert(CompactThrift.columnOrders(orders ++ bytes(0)) == Seq(1, 3, 300, 0, 0))
    assert(CompactThrift.columnOrders(bytes(0x0c, 14, 0, 0)).isEmpty, "a struct in place of the list")
    assert(CompactThrift.columnOrders(bytes(0x15, 2, 0)).isEmpty)
    val byFooter = new FileMetaData(CompactThriftSuite.parsed(footer))
    byFooter.unsetColumn_orders()
    assert(CompactThrift.columnOrders(FooterEdit.bytesOf(byFooter)).isEmpty)
    for (length <- 3 until orders.length)
      intercept[MalformedThriftException](CompactThrift.columnOrders(orders.take(length)))
  }

  test("rejects a truncated struct of any length") {
    for (length <- footer.indices) yield refuses(footer.take(length), "are declared, but")
  }

  test("accepts unknown fields of every type") {
    val fields = bytes(0x11, 0x12, 0x13, 5, 0x16, 0x80, 1, 0x17) ++ new Array[Byte](8) ++
      bytes(0x18, 2, 'a', 'b', 0x19, 0x21, 1, 2, 0x1b, 1, 0x58, 7, 1, 'x', 0x1b, 0, 0x1c, 0) ++
      (bytes(0x1d) ++ new Array[Byte](16)) ++ bytes(0x05, 100, 9, 0)
    CompactThrift.check(fields)
    refuses(fields.dropRight(1), "are declared, but")
  }

  test("rejects sizes that exceed the remaining bytes, and invalid sizes") {
    refuses(bytes(0x19, 0xfc, 0xff, 0xff, 0xff, 0x7f, 0, 0), "elements are declared, but 2 bytes are left")
    refuses(bytes(0x18, 0x80, 0x80, 0x80, 8, 0), "16777216 bytes are declared, but 1 bytes are left")
    refuses(bytes(0x1b, 9, 0x55, 1, 0), "9 elements are declared")
    refuses(bytes(0x18, 0xff, 0xff, 0xff, 0xff, 0x0f, 0), "the size 4294967295 is invalid")
    refuses(bytes(0x16) ++ Array.fill(20)(-1.toByte), "more than 64 bits")
    refuses(bytes(0x1e, 0), "type 14 does not exist")
  }

  test("rejects deeply nested structs and lists without a stack overflow") {
    refuses(Array.fill(1000000)(0x1c.toByte), "nested more than")
    refuses(bytes(0x19) ++ Array.fill(1000000)(0x19.toByte), "nested more than")
  }

  test("Thrift reads every accepted damaged footer with memory limited by its bytes") {
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    val random = new Random(1)
    var accepted = 0
    for (_ <- 1 to 20000) {
      val damaged = footer.clone
      for (_ <- 0 to random.nextInt(3)) damaged(random.nextInt(damaged.length)) = random.nextInt(256).toByte
      val isAccepted =
        try { CompactThrift.check(damaged); true }
        catch { case _: MalformedThriftException => false }
      if (isAccepted) {
        accepted += 1
        val before = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
        try { val _: FileMetaData = Util.readFileMetaData(new ByteArrayInputStream(damaged)) }
        catch { case _: Exception => () }
        val allocated = threads.getThreadAllocatedBytes(Thread.currentThread.getId) - before
        assert(allocated < 1000000, s"for ${damaged.length} bytes")
      }
    }
    assert(accepted > 1000)
  }
}

private object CompactThriftSuite {
  private def parsed(footer: Array[Byte]): FileMetaData =
    Util.readFileMetaData(new ByteArrayInputStream(footer))
}
