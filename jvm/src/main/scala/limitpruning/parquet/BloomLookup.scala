package limitpruning.parquet

import java.math.BigInteger
import java.nio.ByteBuffer

import org.apache.parquet.column.values.bloomfilter.{BlockSplitBloomFilter, BloomFilter}
import org.apache.parquet.format.BloomFilterHeader
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.LogicalTypeAnnotation.{TimeUnit, TimestampLogicalTypeAnnotation}
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Asks bloom filters of one column for values as Spark has them. A filter knows hashes of stored values, so only columns
 * are asked where a value of Spark's can be stored in one way alone, and is read from nothing else. Not those:
 *  - floats and doubles, whose two zeros are equal and whose NaNs are many;
 *  - dates and timestamps of files in the old calendar, which are stored as other numbers than they are read as;
 *  - what was widened from floats;
 *  - decimals in byte arrays of any length, which may begin with any number of zero bytes;
 *  - whatever [[TrustedTypes]] does not list.
 *
 * A filter computes in buffers of its own: no two threads may ask the same one.
 *
 * @param calendar how dates and timestamps of this file are read
 */
private[parquet] final class BloomLookup(sparkType: DataType, column: PrimitiveType, calendar: Calendar) {
  import BloomLookup._

  private val toRange = TrustedTypes.rangeOf(sparkType, column, calendar)
  private val toStored: Any => Option[Any] =
    if (toRange.isEmpty) none else storedAs(sparkType, column, calendar)

  /** Whether a filter of this column can exclude anything: if not, there is no need to read it. */
  val isAnswerable: Boolean = toStored ne none

  /**
   * Whether the filter may be believed for this chunk. It has to admit the chunk's own min and max, where these are values
   * and were not cut. They have to be known, too: they alone tell that every value fits Spark's type, as a value that does
   * not is read as another one.
   */
  def isPlausible(filter: BloomFilter, chunk: ColumnChunk): Boolean = chunk.bounds.exists { case (min, max) =>
    toRange.exists(_(min, max).nonEmpty) && (chunk.mayBeCut || (admits(filter, min) && admits(filter, max)))
  }

  /**
   * Whether no row has the value. False where the filter has it, perhaps by chance, and where it cannot be asked.
   *
   * @param filter one that is plausible for the chunk
   * @param value in Catalyst's representation of the Spark type
   */
  def excludes(filter: BloomFilter, value: Any): Boolean = toStored(value).exists(!admits(filter, _))
}

private object BloomLookup {
  private val none: Any => Option[Any] = _ => None

  /** By the value's own class, as `hash(Object)` of parquet-java does, which writers use. */
  private def admits(filter: BloomFilter, stored: Any): Boolean = filter.findHash(filter.hash(stored))

  /** What stands in the file for a value of Spark's, for a pair of types that is trusted. */
  private def storedAs(sparkType: DataType, column: PrimitiveType, calendar: Calendar): Any => Option[Any] =
    (sparkType, column.getPrimitiveTypeName) match {
      case (ByteType | ShortType | IntegerType, INT32) => exact { case value: Number => value.intValue }
      case (LongType, INT32) => exact { case value: Long if value.isValidInt => value.toInt }
      case (DoubleType, INT32) => exact { case value: Double if value == value.toInt => value.toInt }
      case (LongType, INT64) => exact { case value: Long => value }
      case (DateType, INT32) if calendar.isProleptic => exact { case days: Int => days }
      case (TimestampNTZType, INT32) if calendar.isProleptic =>
        exact { case micros: Long if micros % MicrosPerDay == 0 => (micros / MicrosPerDay).toInt }
      case (TimestampType, INT64) if calendar.isProleptic => exact(fromMicros(column))
      case (TimestampNTZType, INT64) => exact(fromMicros(column)) // in the same calendar always
      case (_: StringType, BINARY) =>
        exact { case string: UTF8String => Binary.fromConstantByteArray(string.getBytes) }
      case (BinaryType, BINARY) => exact { case bytes: Array[Byte] => Binary.fromConstantByteArray(bytes) }
      case (decimal: DecimalType, INT32) =>
        exact(unscaled(decimal, column).andThen { case value if value.bitLength < 32 => value.intValue })
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

  private def fromMicros(column: PrimitiveType): PartialFunction[Any, Any] = {
    val microsPerUnit = column.getLogicalTypeAnnotation match {
      case t: TimestampLogicalTypeAnnotation if t.getUnit == TimeUnit.MILLIS => 1000L
      case _ => 1L
    }
    { case micros: Long if micros % microsPerUnit == 0 => micros / microsPerUnit }
  }

  /** In the scale of the file; a value that has more digits than that was never stored, and is not asked for. */
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

  /** Big-endian, with the sign in front: the one way to write a number in so many bytes. */
  private def widened(value: BigInteger, length: Int): Array[Byte] = {
    val bytes = value.toByteArray
    val sign: Byte = if (value.signum < 0) -1 else 0
    Array.fill(length - bytes.length)(sign) ++ bytes
  }
}

/**
 * Makes a bloom filter of its bytes, or none where they cannot be those of a split-block filter that some value was
 * put into. A filter that is misread denies values that are there.
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

  /** Each value sets one bit in every word of its block: a block has bits in all of its words or in none. */
  private def isFilled(bits: Array[Byte]): Boolean = {
    val words = ByteBuffer.wrap(bits).asIntBuffer
    val blocks = 0 until words.capacity / WordsPerBlock
    def filled(block: Int): Int = (0 until WordsPerBlock).count(word =>
      words.get(block * WordsPerBlock + word) != 0
    )
    blocks.forall(block => filled(block) % WordsPerBlock == 0) && blocks.exists(filled(_) > 0)
  }
}
