package limitpruning.parquet

import java.io.{Closeable, InputStream}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.column.values.bloomfilter.BloomFilter
import org.apache.parquet.format.{BloomFilterHeader, PageHeader, Util}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

/**
 * Reads dictionaries and bloom filters of one file's column chunks, and never more bytes than it is allowed to. What
 * is absent, too large, encrypted, corrupt, unreadable or against the format is none: it proves nothing, and
 * a file that is broken is for the scan to complain of. Opens the file at the first read, and reads no
 * footer. Not thread-safe.
 *
 * Chunks are named by the ordinal of their row group and their column's position among the leaves of the schema.
 */
final class ChunkReader(file: FileStatus, footer: Footer, storage: Storage) extends Closeable {
  import ChunkReader._

  private val sections = new FileSections(file, storage)
  private val decoder = new DictionaryDecoder(storage.conf)

  /** Bytes asked of the file so far, read or not. */
  def bytesRead: Long = sections.bytesRead

  /** Whether the footer says that every value of the chunk stands in its dictionary. Reads nothing. */
  def hasDictionary(rowGroup: Int, leaf: Int): Boolean =
    footer.chunk(rowGroup, leaf).exists(isDictionaryEncoded)

  /** What the dictionary takes in the file at most, or none where offsets do not tell. Reads nothing. */
  def dictionaryBytes(rowGroup: Int, leaf: Int): Option[Long] =
    footer.chunk(rowGroup, leaf).flatMap(sizeByOffsets)

  /** Reads nothing. */
  def hasBloomFilter(rowGroup: Int, leaf: Int): Boolean =
    footer.chunk(rowGroup, leaf).exists(_.getBloomFilterOffset >= 0)

  /**
   * Every value that the chunk's rows take, nulls left out, as [[DictionaryDecoder]] gives them; perhaps more.
   *
   * @param maxBytes of the dictionary's page, compressed or not
   */
  def dictionary(rowGroup: Int, leaf: Int, maxBytes: Long): Option[IndexedSeq[Any]] = orNone {
    for {
      chunk <- footer.chunk(rowGroup, leaf) if isDictionaryEncoded(chunk)
      // Where offsets do not tell, the page comes first in its chunk all the same: readers look for it there.
      page <-
        sections.read(
          chunk.getStartingPos,
          sizeByOffsets(chunk),
          maxBytes
        )(checked(Util.readPageHeader))(pageSize)
      values <- decoder.decode(chunk, page.header, page.body, maxBytes)
    } yield values
  }

  /** @param maxBytes of the filter's bits */
  def bloomFilter(rowGroup: Int, leaf: Int, maxBytes: Long): Option[BloomFilter] = orNone {
    for {
      chunk <- footer.chunk(rowGroup, leaf) if chunk.getBloomFilterOffset >= 0
      length = Some(chunk.getBloomFilterLength.toLong).filter(_ > 0) // older writers leave it out
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
}

private object ChunkReader {
  private def checked[H](parse: InputStream => H): InputStream => H = in => {
    CompactThrift.check(in.readAllBytes())
    in.reset()
    parse(in)
  }

  private def pageSize(header: PageHeader): Long = header.getCompressed_page_size.toLong
  private def filterSize(header: BloomFilterHeader): Long = header.getNumBytes.toLong

  /** Only the encoding statistics, which count the pages by encoding, know of pages beside those of the dictionary. */
  private def isDictionaryEncoded(chunk: ColumnChunkMetaData): Boolean = {
    val statistics = chunk.getEncodingStats
    statistics != null && statistics.hasDictionaryPages && !statistics.getDataEncodings.isEmpty &&
    statistics.getDataEncodings.asScala
      .forall(e => e.usesDictionary && statistics.getNumDataPagesEncodedAs(e) > 0) &&
    chunk.getEncodings.asScala.forall(e => e.usesDictionary || BesideDictionaries.contains(e.name))
  }

  /** Encodings of the dictionary itself, and of levels. */
  private val BesideDictionaries = Set("PLAIN", "RLE", "BIT_PACKED")

  private def sizeByOffsets(chunk: ColumnChunkMetaData): Option[Long] =
    Some(chunk.getFirstDataPageOffset - chunk.getDictionaryPageOffset)
      .filter(_ > 0 && chunk.getDictionaryPageOffset > 0)

  private def orNone[T](body: => Option[T]): Option[T] =
    try body
    catch {
      case Interrupted(interruption) => throw interruption
      case NonFatal(_) => None
      case _: LinkageError => None // a codec whose native library is missing on this machine
    }
}
