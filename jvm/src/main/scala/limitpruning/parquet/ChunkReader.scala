package limitpruning.parquet

import java.io.{Closeable, InputStream}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.google.common.io.ByteStreams
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.column.values.bloomfilter.BloomFilter
import org.apache.parquet.format.{BloomFilterHeader, PageHeader, Util}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

import limitpruning.shims.ParquetShims

/**
 * Reads dictionaries and bloom filters of one file's column chunks, up to a maximum number of bytes. The
 * result is none for anything that is absent, too large, encrypted, corrupt, unreadable or malformed: it
 * proves nothing, and the scan reports broken files. The file is opened at the first read. Reads no footer.
 * Not thread-safe.
 *
 * A chunk is identified by the ordinal of its row group and its column's position among the leaves of the
 * schema.
 */
final class ChunkReader(file: FileStatus, footer: Footer, storage: Storage) extends Closeable {
  import ChunkReader._

  private val sections = new FileSections(file, storage)
  private lazy val decoder = new DictionaryDecoder(storage.conf)
  private var failed = false

  /** The bytes requested of the file so far, whether or not the read succeeded. */
  def bytesRead: Long = sections.bytesRead

  /** Whether something could not be read, or was not what the footer promises. */
  def hasFailed: Boolean = failed

  /** Whether the footer states that every value of the chunk is in its dictionary. No I/O. */
  def hasDictionary(rowGroup: Int, leaf: Int): Boolean =
    footer.chunk(rowGroup, leaf).exists(isDictionaryEncoded)

  /**
   * The maximum size of the dictionary in the file, in bytes. None if the offsets do not determine it. No
   * I/O.
   */
  def dictionaryBytes(rowGroup: Int, leaf: Int): Option[Long] =
    footer.chunk(rowGroup, leaf).flatMap(sizeByOffsets)

  /** Where the dictionary is. None if the offsets do not determine its size. No I/O. */
  def dictionaryPart(rowGroup: Int, leaf: Int): Option[PartOfFile] = for {
    chunk <- footer.chunk(rowGroup, leaf)
    size <- sizeByOffsets(chunk)
  } yield PartOfFile(file, chunk.getStartingPos, size)

  /** Where the bloom filter is. None if its size is not known. No I/O. */
  def bloomFilterPart(rowGroup: Int, leaf: Int): Option[PartOfFile] = for {
    chunk <- footer.chunk(rowGroup, leaf)
    size <- ParquetShims.bloomFilterLength(chunk)
  } yield PartOfFile(file, chunk.getBloomFilterOffset, size)

  /** Whether the footer contains the offset of a bloom filter. No I/O. */
  def hasBloomFilter(rowGroup: Int, leaf: Int): Boolean =
    footer.chunk(rowGroup, leaf).exists(_.getBloomFilterOffset >= 0)

  /**
   * Every value of the chunk's rows without nulls, in the form of [[DictionaryDecoder]], and possibly other
   * values.
   *
   * @param maxBytes maximum size of the dictionary's page, compressed or not
   * @param maxValues maximum number of values; a larger dictionary is not decoded
   */
  def dictionary(
      rowGroup: Int,
      leaf: Int,
      maxBytes: Long,
      maxValues: Int = Int.MaxValue
  ): Option[IndexedSeq[Any]] = orNone {
    for {
      chunk <- footer.chunk(rowGroup, leaf) if isDictionaryEncoded(chunk)
      // Even if the offsets do not determine the size, the page is the first of its chunk, where readers
      // expect it.
      page <-
        sections.read(
          chunk.getStartingPos,
          sizeByOffsets(chunk),
          maxBytes
        )(checked(Util.readPageHeader))(pageSize)
      if page.header.isSetDictionary_page_header &&
        page.header.getDictionary_page_header.getNum_values <= maxValues
      values <- decoder.decode(chunk, page.header, page.body, maxBytes)
    } yield values
  }

  /** @param maxBytes maximum size of the filter's bits */
  def bloomFilter(rowGroup: Int, leaf: Int, maxBytes: Long): Option[BloomFilter] = orNone {
    for {
      chunk <- footer.chunk(rowGroup, leaf) if chunk.getBloomFilterOffset >= 0
      length = ParquetShims.bloomFilterLength(chunk)
      filter <-
        sections.read(
          chunk.getBloomFilterOffset,
          length,
          maxBytes
        )(checked(Util.readBloomFilterHeader))(filterSize)
      if length.forall(_ == filter.size)
      bits <- SplitBlocks(filter.header, filter.body)
    } yield bits
  }

  override def close(): Unit = sections.close()

  private def orNone[T](body: => Option[T]): Option[T] =
    try body
    catch {
      case Interrupted(interruption) => throw interruption
      // A LinkageError is a codec without its native library on this machine.
      case NonFatal(_) | _: LinkageError =>
        failed = true
        None
    }
}

private[parquet] object ChunkReader {
  private def checked[H](parse: InputStream => H): InputStream => H = in => {
    CompactThrift.check(ByteStreams.toByteArray(in))
    in.reset()
    parse(in)
  }

  private def pageSize(header: PageHeader): Long = header.getCompressed_page_size.toLong
  private def filterSize(header: BloomFilterHeader): Long = header.getNumBytes.toLong

  /**
   * Only the encoding statistics, which count the pages by encoding, show whether all pages use the
   * dictionary.
   */
  private def isDictionaryEncoded(chunk: ColumnChunkMetaData): Boolean = {
    val statistics = chunk.getEncodingStats
    statistics != null && statistics.hasDictionaryPages && !statistics.getDataEncodings.isEmpty &&
    statistics.getDataEncodings.asScala
      .forall(e => e.usesDictionary && statistics.getNumDataPagesEncodedAs(e) > 0) &&
    chunk.getEncodings.asScala.forall(e => e.usesDictionary || BesideDictionaries.contains(e.name))
  }

  /**
   * Whether a writer began a chunk with a dictionary, and wrote later pages without it, because the dictionary exceeded its
   * limit. False if there are no encoding statistics.
   */
  def exceedsDictionary(chunk: ColumnChunkMetaData): Boolean = {
    val statistics = chunk.getEncodingStats
    statistics != null && statistics.hasDictionaryPages && statistics.hasNonDictionaryEncodedPages
  }

  /** Encodings of the dictionary itself, and of levels. */
  private val BesideDictionaries = Set("PLAIN", "RLE", "BIT_PACKED")

  private def sizeByOffsets(chunk: ColumnChunkMetaData): Option[Long] =
    Some(chunk.getFirstDataPageOffset - chunk.getDictionaryPageOffset)
      .filter(_ > 0 && chunk.getDictionaryPageOffset > 0)
}
