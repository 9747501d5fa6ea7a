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

  test("accepts what Thrift writes, whatever follows it") {
    CompactThrift.check(footer)
    CompactThrift.check(footer ++ bytes(1, 2, 3))
  }

  test("refuses a struct that is cut, wherever") {
    for (length <- footer.indices) yield refuses(footer.take(length), "are claimed where")
  }

  test("accepts fields that nobody knows, of every type") {
    val fields = bytes(0x11, 0x12, 0x13, 5, 0x16, 0x80, 1, 0x17) ++ new Array[Byte](8) ++
      bytes(0x18, 2, 'a', 'b', 0x19, 0x21, 1, 2, 0x1b, 1, 0x58, 7, 1, 'x', 0x1b, 0, 0x1c, 0) ++
      (bytes(0x1d) ++ new Array[Byte](16)) ++ bytes(0x05, 100, 9, 0)
    CompactThrift.check(fields)
    refuses(fields.dropRight(1), "are claimed where")
  }

  test("refuses sizes beyond the bytes that are left, and those that are none") {
    refuses(bytes(0x19, 0xfc, 0xff, 0xff, 0xff, 0x7f, 0, 0), "elements are claimed where 2 bytes are left")
    refuses(bytes(0x18, 0x80, 0x80, 0x80, 8, 0), "16777216 bytes are claimed where 1 bytes are left")
    refuses(bytes(0x1b, 9, 0x55, 1, 0), "9 elements are claimed")
    refuses(bytes(0x18, 0xff, 0xff, 0xff, 0xff, 0x0f, 0), "a size is 4294967295")
    refuses(bytes(0x16) ++ Array.fill(20)(-1.toByte), "more than 64 bits")
    refuses(bytes(0x1e, 0), "there is no type 14")
  }

  test("refuses structs and lists nested without end, in no more stack than for some") {
    refuses(Array.fill(1000000)(0x1c.toByte), "nested more than")
    refuses(bytes(0x19) ++ Array.fill(1000000)(0x19.toByte), "nested more than")
  }

  test("whatever it accepts of damaged footers, Thrift reads in memory that their bytes bound") {
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
