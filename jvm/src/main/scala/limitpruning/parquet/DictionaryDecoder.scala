package limitpruning.parquet

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.util.zip.CRC32

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.format.{Encoding, PageHeader}
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, CompressionCodecName}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.catalyst.util.{DateTimeUtils, RebaseDateTime}
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}

import limitpruning.predicate.{ColumnFacts, SupportedTypes, Values}

/**
 * Decodes the values of a dictionary page to the classes that parquet-java's statistics have: Integer, Long,
 * Float, Double and Binary. INT96 values, which have no statistics, are Binary. None if the page does not match its header exactly, down to the last byte:
 * parquet-java's own decoder would return garbage. Throws whatever a codec throws for corrupt bytes. Not
 * thread-safe.
 */
private[parquet] final class DictionaryDecoder(conf: Configuration) {
  import DictionaryDecoder._

  /**
   * @param page as it is stored in the file
   * @param maxBytes maximum size of the decompressed page
   */
  def decode(
      chunk: ColumnChunkMetaData,
      header: PageHeader,
      page: Array[Byte],
      maxBytes: Long
  ): Option[IndexedSeq[Any]] = {
    val size = header.getUncompressed_page_size
    val isPlausible = header.isSetDictionary_page_header && size >= 0 && size <= maxBytes &&
      PlainEncodings.contains(header.getDictionary_page_header.getEncoding) &&
      (!header.isSetCrc || header.getCrc == checksum(page)) &&
      (chunk.getCodec != CompressionCodecName.SNAPPY || snappySize(page) == size)
    if (!isPlausible) None
    else {
      val bytes = decompress(chunk.getCodec, page, size)
      if (bytes.length != size) None
      else plain(chunk.getPrimitiveType, header.getDictionary_page_header.getNum_values, bytes)
    }
  }

  private def decompress(codec: CompressionCodecName, page: Array[Byte], size: Int): Array[Byte] = {
    val out = new ByteArrayOutputStream(size)
    val codecs: CompressionCodecFactory = new CodecFactory(conf, size)
    try codecs.getDecompressor(codec).decompress(BytesInput.from(page), size).writeAllTo(out)
    finally codecs.release()
    out.toByteArray
  }
}

private object DictionaryDecoder {

  /** Two names of the same encoding: of version 1 of the format, and of version 2. */
  private val PlainEncodings = Set(Encoding.PLAIN, Encoding.PLAIN_DICTIONARY)

  private def checksum(page: Array[Byte]): Int = {
    val crc = new CRC32
    crc.update(page)
    crc.getValue.toInt
  }

  /** The size in Snappy's own header. Its decompressor allocates this size without a check. */
  private def snappySize(page: Array[Byte]): Long =
    page.indexWhere(_ >= 0) match {
      case last if last >= 0 && last < 5 =>
        (0 to last).map(i => (page(i) & 0x7fL) << (7 * i)).sum
      case _ => -1
    }

  /**
   * The page's values, if they fill it exactly. A page without any value is not trusted: it would prove that
   * there are no values.
   */
  private def plain(column: PrimitiveType, count: Int, page: Array[Byte]): Option[IndexedSeq[Any]] = {
    val in = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN)
    def bytes(length: Int): Binary = {
      val value = new Array[Byte](checkedLength(length, in.remaining))
      in.get(value)
      Binary.fromConstantByteArray(value)
    }
    // Arrays of numbers, which are not boxed.
    val format: Option[(Int, () => IndexedSeq[Any])] = column.getPrimitiveTypeName match {
      case INT32 => Some((4, () => Array.fill(count)(in.getInt).toIndexedSeq))
      case INT64 => Some((8, () => Array.fill(count)(in.getLong).toIndexedSeq))
      case FLOAT => Some((4, () => Array.fill(count)(in.getFloat).toIndexedSeq))
      case DOUBLE => Some((8, () => Array.fill(count)(in.getDouble).toIndexedSeq))
      case BINARY => Some((4, () => Array.fill(count)(bytes(in.getInt)).toIndexedSeq))
      case FIXED_LEN_BYTE_ARRAY =>
        Some((column.getTypeLength, () => Array.fill(count)(bytes(column.getTypeLength)).toIndexedSeq))
      case INT96 => Some((Int96.Bytes, () => Array.fill(count)(bytes(Int96.Bytes)).toIndexedSeq))
      case BOOLEAN => None // no writer has dictionaries of booleans
    }
    for {
      (leastBytes, next) <- format
      if count > 0 && leastBytes.toLong * count <= in.remaining // checked before memory is allocated for them
      values = next()
      if !in.hasRemaining
    } yield values
  }

  private def checkedLength(length: Int, remaining: Int): Int = {
    require(
      length >= 0 && length <= remaining,
      s"a value has $length bytes, but the page has only $remaining left"
    )
    length
  }
}

/**
 * Converts the dictionary of a chunk to the values that the column can have. All pages of the chunk use the
 * dictionary.
 */
private[parquet] final class DictionaryValues(
    sparkType: DataType,
    column: PrimitiveType,
    calendar: Calendar
) {
  private val toRange = TrustedTypes.rangeOf(sparkType, column, calendar)
  private lazy val ordering = SupportedTypes.ordering(sparkType)
  private val isInt96 = column.getPrimitiveTypeName == INT96

  /** Whether values of this pair of types are trusted. */
  val isReadable: Boolean = toRange.nonEmpty

  /**
   * @param dictionary the entries as they are stored
   * @param known the facts from the footer; no row has an entry outside of their range
   * @return `known` with only the remaining values, or only with their range if there are more than
   *   [[DictionaryValues.MostFew]]; `known` itself if the two contradict each other
   */
  def within(dictionary: Seq[Any], known: ColumnFacts): ColumnFacts =
    if (!known.canBeValue) known
    else {
      val hull = known.values.hull(ordering)
      def isKnown(value: Any): Boolean =
        hull.forall(range => ordering.lteq(range.min, value) && ordering.lteq(value, range.max))
      val isFew = dictionary.size <= DictionaryValues.MostFew
      val found = if (isFew) new AllValues else new EndsOfValues
      val areReadable = dictionary.forall { stored =>
        val value = toValue(stored)
        value.foreach(v => if (isKnown(v)) found.add(v))
        value.nonEmpty
      }
      if (areReadable) found.values.fold(known)(values => known.copy(values = values)) else known
    }

  /**
   * @param dictionary the entries as they are stored
   * @return the values of all entries, which may be equal; none if one is not trusted
   */
  def all(dictionary: Seq[Any]): Option[Seq[Any]] = {
    val values = dictionary.iterator.map(toValue).takeWhile(_.nonEmpty).flatten.toVector
    Some(values).filter(_.size == dictionary.size)
  }

  private sealed trait Found {
    def add(value: Any): Unit

    /** None if there is none. */
    def values: Option[Values]
  }

  private final class AllValues extends Found {
    private val all = IndexedSeq.newBuilder[Any]
    override def add(value: Any): Unit = all += value
    override def values: Option[Values] = Some(all.result()).filter(_.nonEmpty).map(Values.Finite(_))
  }

  private final class EndsOfValues extends Found {
    private var min, max: Any = null
    override def add(value: Any): Unit = {
      if (min == null || ordering.lt(value, min)) min = value
      if (max == null || ordering.gt(value, max)) max = value
    }
    override def values: Option[Values] = if (min == null) None else Some(Values.Range(min, max))
  }

  private def toValue(stored: Any): Option[Any] = (sparkType, stored) match {
    // A range of floats always ends with NaN, but an entry is an exact value.
    case (FloatType, _: Float) | (DoubleType, _: Double) => Some(stored).filter(_ => isReadable)
    case (DoubleType, value: Float) => Some(value.toDouble).filter(_ => isReadable)
    case (_, value: Binary) if isInt96 => Int96.micros(value).filter(_ => isReadable)
    case _ => toRange.flatMap(_(stored, stored)).map(_.min)
  }
}

private[parquet] object DictionaryValues {

  /** The maximum number of values that are stored one by one. Expressions are evaluated for fewer. */
  val MostFew = 4096
}

/** Timestamps in INT96: the nanoseconds of a day, in eight bytes, and the Julian day number, in four; little-endian. */
private object Int96 {
  val Bytes = 12

  /**
   * Microseconds since 1970-01-01T00:00:00Z, computed by the function of Spark's readers. None if a reader may rebase the
   * value, and if the function fails. INT96 has its own rebase mode. No mode changes values since 1900.
   */
  def micros(stored: Binary): Option[Long] = {
    val in = stored.toByteBuffer.order(ByteOrder.LITTLE_ENDIAN)
    val nanos = in.getLong
    val day = in.getInt
    Try(DateTimeUtils.fromJulianDay(day, nanos)).toOption.filter(_ >= RebaseDateTime.lastSwitchJulianTs)
  }

  /**
   * As [[micros]], for a min or a max. None if it is not a time of its day, or if the function of Spark's readers overflows,
   * which happens silently: for a negative day, and for days after the year 294,246. An overflow breaks the order of values.
   */
  def end(stored: Binary): Option[Long] =
    if (stored.length != Bytes) None
    else {
      val in = stored.toByteBuffer.order(ByteOrder.LITTLE_ENDIAN)
      val nanos = in.getLong
      val day = in.getInt
      if (nanos < 0 || nanos >= NanosPerDay || day < 0 || day > LastDay) None else micros(stored)
    }

  private val NanosPerDay = 24L * 3600 * 1000 * 1000 * 1000

  /** The last Julian day whose microseconds since 1970-01-01, which is the day 2,440,588, all fit a Long. */
  private val LastDay = 2440588L + Long.MaxValue / (NanosPerDay / 1000) - 1
}
