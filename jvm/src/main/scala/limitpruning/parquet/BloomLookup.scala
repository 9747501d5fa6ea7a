package limitpruning.parquet

import java.math.BigInteger
import java.nio.ByteBuffer

import org.apache.parquet.column.values.bloomfilter.{BlockSplitBloomFilter, BloomFilter}
import org.apache.parquet.format.BloomFilterHeader
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.LogicalTypeAnnotation.{
  IntLogicalTypeAnnotation, TimeUnit, TimestampLogicalTypeAnnotation
}
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Looks up values in bloom filters of one column, in Spark's representation. A filter contains hashes of
 * stored values. A lookup is therefore possible only if a value of Spark's has exactly one stored form, and
 * no other stored value is read as it. These columns are excluded:
 *  - floats and doubles, because their two zeros are equal and they have many NaNs;
 *  - dates and timestamps of files in the old calendar, because they are stored as other numbers than they
 *    are read as;
 *  - columns that were widened from floats;
 *  - decimals in byte arrays of variable length, because these may begin with any number of zero bytes;
 *  - all types that [[TrustedTypes]] does not list.
 *
 * A filter computes in buffers of its own, so two threads must not use the same filter.
 *
 * @param calendar how dates and timestamps of this file are read
 */
private[parquet] final class BloomLookup(sparkType: DataType, column: PrimitiveType, calendar: Calendar) {
  import BloomLookup._

  private val toRange = TrustedTypes.rangeOf(sparkType, column, calendar)
  private val toStored: Any => Option[Any] =
    if (toRange.isEmpty) none else storedAs(sparkType, column, calendar)

  /** Whether a filter of this column can exclude anything. If not, there is no need to read it. */
  val isAnswerable: Boolean = toStored ne none

  /**
   * Whether the filter can be trusted for this chunk. It must contain the chunk's own min and max, if these
   * are values of the column and were not truncated. They must also be known: only they prove that every
   * value fits Spark's type, and a value that does not fit is read as another one.
   */
  def isPlausible(filter: BloomFilter, chunk: ColumnChunk): Boolean = chunk.minMax.exists { case (min, max) =>
    toRange.exists(_(min, max).nonEmpty) && (chunk.mayBeCut || (admits(filter, min) && admits(filter, max)))
  }

  /**
   * Whether no row has the value. False if the filter contains the value, possibly as a false positive, and
   * if the value cannot be looked up.
   *
   * @param filter a filter that is plausible for the chunk
   * @param value in Catalyst's representation of the Spark type
   */
  def excludes(filter: BloomFilter, value: Any): Boolean = toStored(value).exists(!admits(filter, _))
}

private object BloomLookup {
  private val none: Any => Option[Any] = _ => None

  /** Hashes by the value's own class, like `hash(Object)` of parquet-java, which writers use. */
  private def admits(filter: BloomFilter, stored: Any): Boolean = filter.findHash(filter.hash(stored))

  /** The stored form of a value of Spark's, for a pair of types that is trusted. */
  private def storedAs(sparkType: DataType, column: PrimitiveType, calendar: Calendar): Any => Option[Any] =
    (sparkType, column.getPrimitiveTypeName) match {
      case (ByteType | ShortType | IntegerType, INT32) => exact { case value: Number => value.intValue }
      case (LongType, INT32) if isUnsigned(column) =>
        exact { case value: Long if (value >>> 32) == 0 => value.toInt }
      case (LongType, INT32) => exact { case value: Long if value.isValidInt => value.toInt }
      case (DoubleType, INT32) => exact { case value: Double if value == value.toInt => value.toInt }
      case (LongType, INT64) => exact { case value: Long => value }
      case (DateType, INT32) if calendar.isProleptic => exact { case days: Int => days }
      case (TimestampNTZType, INT32) if calendar.isProleptic =>
        exact { case micros: Long if micros % MicrosPerDay == 0 => (micros / MicrosPerDay).toInt }
      case (TimestampType, INT64) if calendar.isProleptic => exact(fromMicros(column))
      case (TimestampNTZType, INT64) => exact(fromMicros(column)) // never rebased
      case (_: StringType, BINARY) =>
        exact { case string: UTF8String => Binary.fromConstantByteArray(string.getBytes) }
      case (BinaryType, BINARY) => exact { case bytes: Array[Byte] => Binary.fromConstantByteArray(bytes) }
      case (decimal: DecimalType, INT32) =>
        exact(unscaled(decimal, column).andThen { case value if value.bitLength < 32 => value.intValue })
      case (TrustedTypes.UnsignedLong, INT64) if isUnsigned(column) => exact(Function.unlift(unsignedLong))
      case (decimal: DecimalType, INT64) =>
        exact(unscaled(decimal, column).andThen { case value if value.bitLength < 64 => value.longValue })
      case (decimal: DecimalType, FIXED_LEN_BYTE_ARRAY) =>
        val length = column.getTypeLength
        exact(unscaled(decimal, column).andThen {
          case value if value.bitLength < 8L * length => Binary.fromConstantByteArray(widened(value, length))
        })
      case _ => none
    }

  private def exact(convert: PartialFunction[Any, Any]): Any => Option[Any] = convert.lift

  private def isUnsigned(column: PrimitiveType): Boolean = column.getLogicalTypeAnnotation match {
    case int: IntLogicalTypeAnnotation => !int.isSigned
    case _ => false
  }

  private def unsignedLong(value: Any): Option[Any] = value match {
    case value: Decimal if value.scale == 0 =>
      Some(
        value.toJavaBigDecimal.toBigInteger
      ).filter(v => v.signum >= 0 && v.bitLength <= 64).map(_.longValue)
    case _ => None
  }

  private def fromMicros(column: PrimitiveType): PartialFunction[Any, Any] = {
    val microsPerUnit = column.getLogicalTypeAnnotation match {
      case t: TimestampLogicalTypeAnnotation if t.getUnit == TimeUnit.MILLIS => 1000L
      case _ => 1L
    }
    { case micros: Long if micros % microsPerUnit == 0 => micros / microsPerUnit }
  }

  /**
   * The unscaled value in the scale of the file. A value with more digits after the point was never stored,
   * and is not looked up.
   */
  private def unscaled(decimal: DecimalType, column: PrimitiveType): PartialFunction[Any, BigInteger] = {
    val stored = TrustedDecimals.of(decimal, column)
    Function.unlift {
      case value: Decimal if value.scale == decimal.scale =>
        val number = value.toJavaBigDecimal
        stored.filter(s => number.stripTrailingZeros.scale <= s.scale)
          .map(s => number.setScale(s.scale).unscaledValue)
      case _ => None
    }
  }

  private val MicrosPerDay = 24L * 3600 * 1000 * 1000

  /** Big-endian and sign-extended: the only form of a number in this number of bytes. */
  private def widened(value: BigInteger, length: Int): Array[Byte] = {
    val bytes = value.toByteArray
    val sign: Byte = if (value.signum < 0) -1 else 0
    Array.fill(length - bytes.length)(sign) ++ bytes
  }
}

/**
 * Creates a bloom filter from its bytes. None if they cannot be the bytes of a split-block filter that
 * contains a value. A filter that is read incorrectly can exclude values that exist.
 */
private[parquet] object SplitBlocks {
  private val MinBytes = 32
  private val MaxBytes = 128 * 1024 * 1024
  private val WordsPerBlock = 8

  def apply(header: BloomFilterHeader, bits: Array[Byte]): Option[BloomFilter] = {
    val isOurs = header.getHash.isSetXXHASH && header.getAlgorithm.isSetBLOCK &&
      header.getCompression.isSetUNCOMPRESSED
    val size = bits.length
    val isSize =
      size == header.getNumBytes && size >= MinBytes && size <= MaxBytes && (size & (size - 1)) == 0
    if (isOurs && isSize && isFilled(bits)) Some(new BlockSplitBloomFilter(bits)) else None
  }

  /**
   * Each value sets one bit in every word of its block. Therefore a block has bits in all of its words or in
   * none.
   */
  private def isFilled(bits: Array[Byte]): Boolean = {
    val words = ByteBuffer.wrap(bits).asIntBuffer
    val blocks = 0 until words.capacity / WordsPerBlock
    def filled(block: Int): Int = (0 until WordsPerBlock).count(word =>
      words.get(block * WordsPerBlock + word) != 0
    )
    blocks.forall(block => filled(block) % WordsPerBlock == 0) && blocks.exists(filled(_) > 0)
  }
}
