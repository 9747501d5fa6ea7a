package limitpruning.parquet

import java.nio.{ByteBuffer, ByteOrder}
import java.util.zip.CRC32

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.format.{CompressionCodec, DictionaryPageHeader, Encoding, PageHeader, PageType}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.io.api.Binary
import org.scalatest.funsuite.AnyFunSuite
import org.xerial.snappy.Snappy

import limitpruning.testing.{RawChunk, RawFooter}

class DictionaryDecoderSuite extends AnyFunSuite {
  private val Large = 1L << 20
  private val decoder = new DictionaryDecoder(new Configuration())

  private def chunk(
      field: String,
      codec: CompressionCodec = CompressionCodec.UNCOMPRESSED
  ): ColumnChunkMetaData = {
    val raw = RawFooter(s"$field;").rowGroup(10, RawChunk.silent)
    val metadata = raw.metadata
    metadata.getRow_groups.get(0).getColumns.get(0).getMeta_data.setCodec(codec)
    raw.footer(metadata).rowGroups.head.getColumns.get(0)
  }
  private val ints = chunk("required int32 c")
  private val strings = chunk("required binary c (STRING)")

  private def page(values: Any*): Array[Byte] = values.flatMap {
    case text: String => RawChunk.plain(text.length) ++ RawChunk.plain(text)
    case other => RawChunk.plain(other).toSeq
  }.toArray

  private def header(count: Int, size: Int, encoding: Encoding = Encoding.PLAIN): PageHeader =
    new PageHeader(PageType.DICTIONARY_PAGE, size, size)
      .setDictionary_page_header(new DictionaryPageHeader(count, encoding))

  private def decode(chunk: ColumnChunkMetaData, count: Int, page: Array[Byte]): Option[IndexedSeq[Any]] =
    decoder.decode(chunk, header(count, page.length), page, Large)

  test("should return values in the classes of statistics, because both are converted in the same way") {
    assert(decode(ints, 2, page(7, -1)).contains(Seq(7, -1)))
    assert(decode(chunk("required int64 c"), 1, page(1L << 40)).contains(Seq(1L << 40)))
    assert(decode(chunk("required float c"), 1, page(-0.5f)).contains(Seq(-0.5f)))
    assert(decode(chunk("required double c"), 1, page(2.5)).contains(Seq(2.5)))
    assert(decode(strings, 2, page("", "Ibex")).contains(Seq("", "Ibex").map(Binary.fromString)))
    val fixed = decode(chunk("required fixed_len_byte_array(3) c"), 2, Array[Byte](1, 2, 3, -4, -5, -6))
    assert(fixed.contains(
      Seq(Array[Byte](1, 2, 3), Array[Byte](-4, -5, -6)).map(Binary.fromConstantByteArray)
    ))
  }

  test("should return INT96 as its twelve bytes") {
    val bytes = Array.tabulate[Byte](24)(_.toByte)
    val values = bytes.grouped(12).map(Binary.fromConstantByteArray).toSeq
    assert(decode(chunk("required int96 c"), 2, bytes).contains(values))
    assert(decode(chunk("required int96 c"), 2, bytes.dropRight(1)).isEmpty)
  }

  test("should read no booleans, because no writer has dictionaries of them") {
    assert(decode(chunk("required boolean c"), 1, Array[Byte](1)).isEmpty)
  }

  test("should accept both names of the plain encoding, and no other encoding") {
    def encoded(encoding: Encoding) = decoder.decode(ints, header(1, 4, encoding), page(7), Large)
    assert(Seq(Encoding.PLAIN, Encoding.PLAIN_DICTIONARY).forall(encoded(_).contains(Seq(7))))
    assert(Seq(Encoding.RLE_DICTIONARY, Encoding.DELTA_BINARY_PACKED).forall(encoded(_).isEmpty))
  }

  test("should return none if values do not fill the page, because then they may be wrong") {
    assert(decode(ints, 1, page(7, 8)).isEmpty, "bytes are left over")
    assert(decode(ints, 3, page(7, 8)).isEmpty, "a value is missing")
    assert(decode(ints, 2, page(7, 8).dropRight(1)).isEmpty, "a value is cut")
    assert(decode(strings, 1, page("Ibex") ++ Array[Byte](0)).isEmpty)
  }

  test("should return none for no values, because that would prove that every row is null") {
    assert(decode(ints, 0, Array.empty).isEmpty)
    assert(decode(ints, -1, Array.empty).isEmpty)
  }

  test("should not allocate for a count that the page cannot hold") {
    assert(decode(ints, Int.MaxValue, page(7)).isEmpty)
    assert(decode(strings, Int.MaxValue, page("Ibex")).isEmpty)
  }

  test("line 50: should fail if a value's length exceeds the page") {
    for (length <- Seq(5, Int.MaxValue, -1, Int.MinValue))
      intercept[IllegalArgumentException](decode(
        strings,
        1,
        RawChunk.plain(length) ++ RawChunk.plain("Ibex")
      ))
  }

  test("should return none if the checksum is wrong, because a byte has changed") {
    val crc = new CRC32
    crc.update(page(7, 8))
    val sum = crc.getValue.toInt
    assert(decoder.decode(ints, header(2, 8).setCrc(sum), page(7, 8), Large).contains(Seq(7, 8)))
    assert(decoder.decode(ints, header(2, 8).setCrc(sum), page(7, 9), Large).isEmpty)
  }

  test("should return none for a page that is larger than allowed, or than its header") {
    assert(decoder.decode(ints, header(2, 8), page(7, 8), maxBytes = 8).nonEmpty)
    assert(decoder.decode(ints, header(2, 8), page(7, 8), maxBytes = 7).isEmpty)
    assert(decoder.decode(ints, header(1, 4), page(7, 8), Large).isEmpty)
    assert(decoder.decode(ints, header(2, -8), page(7, 8), Large).isEmpty)
  }

  test("should check Snappy's own size, because its decompressor allocates it") {
    val snappy = chunk("required int32 c", CompressionCodec.SNAPPY)
    val compressed = Snappy.compress(page(7, 8))
    assert(decoder.decode(snappy, header(2, 8), compressed, Large).contains(Seq(7, 8)))
    val huge =
      ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).put(Array.fill[Byte](4)(-1)).put(7.toByte)
    for (lie <- Seq(compressed.updated(0, 9.toByte), huge.array, Array.fill[Byte](9)(-1), Array.empty[Byte]))
      assert(decoder.decode(snappy, header(2, 8), lie, Large).isEmpty)
  }

  test("should return none if the header is that of another page") {
    assert(decoder.decode(ints, new PageHeader(PageType.DATA_PAGE, 4, 4), page(7), Large).isEmpty)
  }
}
