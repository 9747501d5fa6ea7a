package limitpruning.parquet

import java.io.Closeable

import scala.collection.mutable

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.column.values.bloomfilter.BloomFilter
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types.DataType

import limitpruning.parquet.ColumnLocation.Stored
import limitpruning.predicate.{ColumnFacts, LeafColumn}

/**
 * The dictionaries and bloom filters of one file. Each is read once, when it is needed first. Not
 * thread-safe.
 *
 * @param maxBytes a larger dictionary or filter is not read
 */
final class RowGroupDetails(
    file: FileStatus,
    footer: Footer,
    facts: RowGroupFacts,
    storage: Storage,
    maxBytes: Long
) extends Closeable {
  import RowGroupDetails._

  private val reader = new ChunkReader(file, footer, storage)
  // Of the last row group alone: a decoded dictionary is several times as large as in the file.
  private val dictionaries = mutable.Map.empty[(Int, Int), Option[IndexedSeq[Any]]]
  private var rowGroupOfDictionaries = -1
  private var decoded = 0L
  private val lookups = mutable.Map.empty[(DataType, Int), BloomLookup]
  private val filters = mutable.Map.empty[(Int, Int), Option[BloomFilter]]

  /** The bytes requested so far. */
  def bytesRead: Long = reader.bytesRead

  /** Whether something could not be read. */
  def hasFailed: Boolean = reader.hasFailed

  override def close(): Unit = reader.close()

  /** The number of values of dictionaries that were decoded so far. */
  def valuesDecoded: Long = decoded

  /**
   * Whether a dictionary or a bloom filter of a column may help. No I/O.
   *
   * @param known the facts from the footer
   */
  def exist(column: LeafColumn, rowGroup: Int, known: ColumnFacts = ColumnFacts.Unknown): Boolean =
    facts.locationOf(column) match {
      case stored: Stored => mayNarrow(column, stored, rowGroup, known) || hasFilter(column, stored, rowGroup)
      case _ => false
    }

  /** Whether a dictionary with all values of a column can be read. No I/O. */
  def hasDictionary(column: LeafColumn, rowGroup: Int): Boolean = facts.locationOf(column) match {
    case stored: Stored => hasDictionary(column, stored, rowGroup)
    case _ => false
  }

  /** Whether values of a column can be looked up in a bloom filter. No I/O. */
  def hasBloomFilter(column: LeafColumn, rowGroup: Int): Boolean = facts.locationOf(column) match {
    case stored: Stored => hasFilter(column, stored, rowGroup)
    case _ => false
  }

  /** Where the dictionary with all values of a column is; none if there is none, or if its size is not known. No I/O. */
  def dictionaryPart(column: LeafColumn, rowGroup: Int): Option[PartOfFile] =
    if (hasDictionary(column, rowGroup)) firstPart(column, rowGroup) else None

  /**
   * The part of the file that is read first for a column: its dictionary, or else its bloom filter. None if
   * its size is not known. No I/O.
   *
   * @param known the facts from the footer
   */
  def firstPart(
      column: LeafColumn,
      rowGroup: Int,
      known: ColumnFacts = ColumnFacts.Unknown
  ): Option[PartOfFile] = facts.locationOf(column) match {
    case stored: Stored if mayNarrow(column, stored, rowGroup, known) =>
      reader.dictionaryPart(rowGroup, stored.leaf)
    case stored: Stored if hasFilter(column, stored, rowGroup) =>
      reader.bloomFilterPart(rowGroup, stored.leaf).filter(_.length <= maxBytes)
    case _ => None
  }

  /**
   * @return `known`, narrowed to the values of the chunk's dictionary if the dictionary contains all values and
   *   may have few of them, or if `known` has no range
   */
  def narrow(column: LeafColumn, rowGroup: Int, known: ColumnFacts): ColumnFacts =
    facts.locationOf(column) match {
      case stored: Stored if mayNarrow(column, stored, rowGroup, known) =>
        val maxValues = if (known.values.areBounded) DictionaryValues.MostFew else Int.MaxValue
        if (rowGroupOfDictionaries != rowGroup) dictionaries.clear()
        rowGroupOfDictionaries = rowGroup
        val dictionary = dictionaries.getOrElseUpdate(
          (stored.leaf, maxValues),
          reader.dictionary(rowGroup, stored.leaf, maxBytes, maxValues)
        )
        dictionary.fold(known) { entries =>
          decoded += entries.size
          values(column, stored).within(entries, known)
        }
      case _ => known
    }

  /**
   * The values of a column in a row group, apart from null, of each of which there is a row. None if they are not known: without a
   * complete dictionary, or if its entries need not occur.
   */
  def occurring(column: LeafColumn, rowGroup: Int): Option[Seq[Any]] = facts.locationOf(column) match {
    case stored: Stored if facts.trust.provesByEntries && hasDictionary(column, stored, rowGroup) =>
      reader.dictionary(rowGroup, stored.leaf, maxBytes).flatMap { entries =>
        decoded += entries.size
        values(column, stored).all(entries)
      }
    case _ => None
  }

  /** A large dictionary has so many values that no expression is evaluated for them. Only their range may help. */
  private def mayNarrow(column: LeafColumn, stored: Stored, rowGroup: Int, known: ColumnFacts): Boolean =
    hasDictionary(column, stored, rowGroup) && (
      !known.values.areBounded ||
        reader.dictionaryBytes(rowGroup, stored.leaf).forall(_ <= largestOfFew(stored.leafType))
    )

  private def largestOfFew(leafType: PrimitiveType): Long = {
    val width = leafType.getPrimitiveTypeName match {
      case INT32 | FLOAT | BOOLEAN => 4L
      case INT64 | DOUBLE => 8L
      case INT96 => 12L
      case FIXED_LEN_BYTE_ARRAY => leafType.getTypeLength.toLong
      case BINARY => LongTextBytes
    }
    PageHeaderBytes + DictionaryValues.MostFew * width
  }

  /** Whether the chunk's bloom filter proves that no row has the value. */
  def exclude(column: LeafColumn, rowGroup: Int, value: Any): Boolean = facts.locationOf(column) match {
    case stored: Stored if hasFilter(column, stored, rowGroup) =>
      val lookup = bloomLookup(column, stored)
      val filter = filters.getOrElseUpdate(
        (rowGroup, stored.leaf),
        for {
          chunk <- facts.statements(stored)(rowGroup)
          read <- reader.bloomFilter(rowGroup, stored.leaf, maxBytes)
          if lookup.isPlausible(read, chunk)
        } yield read
      )
      filter.exists(lookup.excludes(_, value))
    case _ => false
  }

  private def hasDictionary(column: LeafColumn, stored: Stored, rowGroup: Int): Boolean =
    facts.trust.provesByDictionaries && values(column, stored).isReadable &&
      reader.hasDictionary(rowGroup, stored.leaf) &&
      reader.dictionaryBytes(rowGroup, stored.leaf).forall(_ <= maxBytes)

  private def hasFilter(column: LeafColumn, stored: Stored, rowGroup: Int): Boolean =
    reader.hasBloomFilter(rowGroup, stored.leaf) && facts.trust.provesByBloomFilters(stored.leafType) &&
      bloomLookup(column, stored).isAnswerable

  private def values(column: LeafColumn, stored: Stored): DictionaryValues =
    facts.dictionaryValues(column, stored)

  private def bloomLookup(column: LeafColumn, stored: Stored): BloomLookup =
    lookups.getOrElseUpdate(
      (column.dataType, stored.leaf),
      new BloomLookup(column.dataType, stored.leafType, facts.calendar)
    )
}

private object RowGroupDetails {

  /** Compression does not make a page much larger than its values. */
  private val PageHeaderBytes = 1024L

  /** The bytes of a long text. */
  private val LongTextBytes = 64L
}
