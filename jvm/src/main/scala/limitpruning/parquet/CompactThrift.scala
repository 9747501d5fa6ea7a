package limitpruning.parquet

import java.io.IOException

/** Bytes that are not what Thrift's compact protocol allows, or which ask for more than there is. */
private[parquet] final class MalformedThriftException(problem: String) extends IOException(problem)

/**
 * Makes sure, without allocating anything for what it reads, that bytes can be given to Thrift's own parser. That one
 * allocates whatever a list or a string claims to hold, up to hundreds of megabytes for a footer of a few bytes, and
 * takes a stack frame for each level of unknown structs. Here no claim exceeds the bytes that are there, which bounds
 * what the parser takes by a small multiple of their number.
 */
object CompactThrift {

  /** Deeper than any struct of the format, with room for later ones. */
  private val MostNested = 32

  /**
   * @param from the first byte of a struct
   * @param until after the last byte that may belong to it
   * @throws MalformedThriftException where the struct is not well formed, or not complete
   */
  def check(bytes: Array[Byte], from: Int, until: Int): Unit = new Walk(bytes, from, until).struct(0)

  def check(bytes: Array[Byte]): Unit = check(bytes, 0, bytes.length)

  private final class Walk(bytes: Array[Byte], from: Int, until: Int) {
    private var at = from

    def struct(depth: Int): Unit = {
      if (depth > MostNested) fail(s"structs are nested more than $MostNested deep")
      var head = byte()
      while (head != 0) {
        if ((head >> 4) == 0) skipVarint() // the field's number, where it is far from the one before
        val kind = head & 15
        if (kind > 2) value(kind, depth) // a boolean field's value is its kind
        head = byte()
      }
    }

    private def value(kind: Int, depth: Int): Unit = kind match {
      case 1 | 2 | 3 => skip(1)
      case 4 | 5 | 6 => skipVarint()
      case 7 => skip(8)
      case 8 => skip(size())
      case 9 | 10 => list(depth + 1)
      case 11 => map(depth + 1)
      case 12 => struct(depth + 1)
      case 13 => skip(16)
      case other => fail(s"there is no type $other")
    }

    private def list(depth: Int): Unit = {
      val head = byte()
      val elements = if ((head >> 4) == 15) size() else head >> 4
      repeat(elements, depth)(value(head & 15, depth))
    }

    private def map(depth: Int): Unit = {
      val entries = size()
      if (entries > 0) {
        val kinds = byte()
        repeat(entries, depth) {
          value(kinds >> 4, depth)
          value(kinds & 15, depth)
        }
      }
    }

    private def repeat(count: Int, depth: Int)(element: => Unit): Unit = {
      if (depth > MostNested) fail(s"lists are nested more than $MostNested deep")
      if (count > until - at) fail(s"$count elements are claimed where $left") // each takes a byte at least
      var done = 0
      while (done < count) {
        element
        done += 1
      }
    }

    private def byte(): Int = {
      skip(1)
      bytes(at - 1) & 0xff
    }

    private def size(): Int = {
      val size = varint()
      if (size < 0 || size > Int.MaxValue) fail(s"a size is $size")
      size.toInt
    }

    private def skip(count: Int): Unit = {
      if (count > until - at) fail(s"$count bytes are claimed where $left")
      at += count
    }

    private def skipVarint(): Unit = { val _ = varint() }

    private def varint(): Long = {
      var result = 0L
      var shift = 0
      var last = byte()
      while (last > 127) {
        if (shift > 56) fail("a number has more than 64 bits")
        result |= (last & 127).toLong << shift
        shift += 7
        last = byte()
      }
      result | last.toLong << shift
    }

    private def left: String = s"${until - at} bytes are left"

    private def fail(problem: String): Nothing =
      throw new MalformedThriftException(s"its metadata is malformed at byte ${at - from}: $problem")
  }
}
