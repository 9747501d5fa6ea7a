package limitpruning.parquet

import java.io.IOException

/** Bytes that are not valid in Thrift's compact protocol, or that declare more content than they contain. */
private[parquet] final class MalformedThriftException(problem: String) extends IOException(problem)

/**
 * Checks that bytes are safe for Thrift's own parser, without allocating anything for their content. Thrift's
 * parser allocates the declared size of every list and string, up to hundreds of megabytes for a footer of a
 * few bytes. It also uses a stack frame for each level of unknown structs. This check rejects every declared
 * size that exceeds the available bytes. This limits the memory of the parser to a small multiple of their
 * number.
 */
object CompactThrift {

  /** The number of `column_orders` in `FileMetaData`. */
  private val ColumnOrders = 7

  private val List = 9
  private val Struct = 12

  /** Deeper than any struct of the format, with a margin for later versions. */
  private val MostNested = 32

  /**
   * @param from the first byte of a struct
   * @param until the end (exclusive) of the bytes that may belong to it
   * @throws MalformedThriftException if the struct is not well formed, or not complete
   */
  def check(bytes: Array[Byte], from: Int, until: Int): Unit = new Walk(bytes, from, until).struct(0)

  def check(bytes: Array[Byte]): Unit = check(bytes, 0, bytes.length)

  /**
   * The order of each leaf column in a footer: the number of the member of the format's union `ColumnOrder`, 0 if there is
   * not exactly one. Thrift's own parser drops the members that are newer than itself.
   *
   * @param footer a serialized footer that is well formed
   * @return empty if the footer does not contain orders
   */
  def columnOrders(footer: Array[Byte]): IndexedSeq[Int] = new Walk(footer, 0, footer.length).columnOrders()

  private final class Walk(bytes: Array[Byte], from: Int, until: Int) {
    private var at = from

    def struct(depth: Int): Unit = {
      if (depth > MostNested) fail(s"structs are nested more than $MostNested levels deep")
      var head = byte()
      while (head != 0) {
        if ((head >> 4) == 0) skipVarint() // the field's number, if it is not encoded in the header
        val kind = head & 15
        if (kind > 2) value(kind, depth) // the kind of a boolean field contains its value
        head = byte()
      }
    }

    def columnOrders(): IndexedSeq[Int] = {
      var found = IndexedSeq.empty[Int]
      fields { (field, kind) =>
        if (field == ColumnOrders && kind == List) found = orders() else if (kind > 2) value(kind, 0)
      }
      found
    }

    private def orders(): IndexedSeq[Int] = {
      val head = byte()
      val elements = if ((head >> 4) == 15) size() else head >> 4
      if ((head & 15) != Struct) fail("orders are not structs")
      var found = Vector.empty[Int]
      repeat(elements, 0)(found :+= order())
      found
    }

    private def order(): Int = {
      var members = Vector.empty[Int]
      fields { (field, kind) =>
        members :+= field
        if (kind > 2) value(kind, 1)
      }
      if (members.size == 1) members.head else 0
    }

    /** Calls `visit` with the number and the kind of each field of a struct. It must read the field's value. */
    private def fields(visit: (Int, Int) => Unit): Unit = {
      var field = 0
      var head = byte()
      while (head != 0) {
        if ((head >> 4) == 0) {
          val zigzag = varint()
          field = ((zigzag >>> 1) ^ -(zigzag & 1)).toInt
        } else field += head >> 4
        visit(field, head & 15)
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
      case other => fail(s"type $other does not exist")
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
      if (depth > MostNested) fail(s"lists are nested more than $MostNested levels deep")
      if (count > until - at) fail(s"$count elements are declared, but $left") // each has at least one byte
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
      if (size < 0 || size > Int.MaxValue) fail(s"the size $size is invalid")
      size.toInt
    }

    private def skip(count: Int): Unit = {
      if (count > until - at) fail(s"$count bytes are declared, but $left")
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
      throw new MalformedThriftException(s"the metadata is malformed at byte ${at - from}: $problem")
  }
}
