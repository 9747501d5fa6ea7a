package limitpruning.parquet

import java.io.{ByteArrayInputStream, IOException}
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.US_ASCII

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.format.{ColumnChunk => RawColumnChunk, RowGroup, Util}
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream

import limitpruning.select.{FilePart, FileVersion}
import limitpruning.shims.ParquetShims

/** The footer of a file cannot be read or used. The LIMIT is not pruned, and plain Spark scans the file. */
final class UnreadableFooterException(file: FileStatus, val problem: String, cause: Throwable = null)
    extends IOException(s"cannot use the Parquet footer of ${file.getPath}: $problem", cause)

/**
 * Reads footers. A footer needs one request, unless it is larger than the part of the file that the first
 * request reads. Thread-safe.
 *
 * @param open opens a file
 * @param parts receives the bytes before the footer that the first request reads. In most files, they contain
 *   the page index, which is then read without another request.
 */
final class FooterReader(open: FileStatus => SeekableInputStream, parts: Option[FileParts]) {
  import FooterReader._

  /** @param conf the Hadoop configuration of the relation that is read */
  def this(conf: Configuration) = this(HadoopInputFile.fromStatus(_, conf).newStream(), None)

  /** A reader that keeps what it reads before a footer. */
  def this(storage: Storage) = this(storage.open(_), Some(storage.parts))

  private val firstRead = if (parts.isEmpty) FooterAlone else FooterAndPageIndex

  /**
   * @param columns the columns that the footer must contain
   * @throws UnreadableFooterException if the file is missing, truncated, encrypted or not a Parquet file
   * @throws InterruptedException if the query is cancelled
   */
  def read(file: FileStatus, columns: FileColumns): Footer =
    explained(file)(Footer.of(narrowed(file, columns)))

  /** The same footer in the form in which executors send it. */
  private[limitpruning] def narrowed(file: FileStatus, columns: FileColumns): NarrowedFooter =
    explained(file) {
      val (bytes, nanos) = footerBytes(file)
      CompactThrift.check(bytes)
      val raw = Util.readFileMetaData(new ByteArrayInputStream(bytes))
      if (raw.getRow_groups.asScala.exists(_.getColumns.asScala.exists(isEncrypted)))
        fail(file, "some of its columns are encrypted")
      if (!raw.getRow_groups.asScala.forall(isPlausible(file, _)))
        fail(file, "a row group is outside of the file")
      NarrowedFooter.of(raw, columns, FooterSeal.of(bytes), () => CompactThrift.columnOrders(bytes))
        .copy(requestNanos = if (isLocal(file)) 0 else nanos)
    }

  /**
   * The first difference between a file and its planned version. None if the footer and the parts are the
   * same. Reads only these. Parts that are near each other are read with one request, as page indexes and
   * footer usually are.
   *
   * @param file as it is now, with the planned length
   */
  def firstChange(file: FileStatus, version: FileVersion): Option[String] = {
    val footerStart = file.getLen - TrailerLength - version.footerLength
    if (footerStart < 0) Some("its footer is different")
    else {
      val footer = FilePart(footerStart, version.footerLength, version.footerChecksum)
      val stream = open(file)
      try
        near(version.parts.sortBy(_.offset) :+ footer).iterator.flatMap { parts =>
          val from = parts.map(_.offset).min
          val until = if (parts.last eq footer) file.getLen else parts.map(end).max
          val bytes = Storage.readAt(stream, from, until - from)
          parts.collectFirst {
            case part
                if FileParts.checksum(bytes, (part.offset - from).toInt, part.length) != part.checksum =>
              if (part eq footer) "its footer is different"
              else s"its bytes at offset ${part.offset} are different"
            case part if (part eq footer) && footerLength(bytes) != footer.length => "its footer is different"
          }
        }.find(_ => true)
      finally stream.close()
    }
  }

  /** Groups parts, ascending by offset, so that each group is read with one request. */
  private def near(parts: Seq[FilePart]): Seq[Seq[FilePart]] = {
    val ends = parts.iterator.map(end).scanLeft(Long.MinValue)(_ max _).drop(1) // up to each part
    parts.zip(ends.toVector).foldLeft(Vector.empty[(Vector[FilePart], Long)]) {
      case (done :+ ((last, lastEnd)), (next, nextEnd)) if next.offset - lastEnd <= LargestGap =>
        done :+ ((last :+ next, nextEnd))
      case (done, (next, nextEnd)) => done :+ ((Vector(next), nextEnd))
    }.map(_._1)
  }

  private def end(part: FilePart): Long = part.offset + part.length

  /** The footer's length in the last bytes of a file. */
  private def footerLength(tail: Array[Byte]): Int =
    ByteBuffer.wrap(tail, tail.length - TrailerLength, TrailerLength).order(ByteOrder.LITTLE_ENDIAN).getInt

  private def isEncrypted(column: RawColumnChunk): Boolean =
    !column.isSetMeta_data || column.isSetCrypto_metadata

  /** If this is false, sums of sizes may overflow, or the row group belongs to no byte range of the file. */
  private def isPlausible(file: FileStatus, rowGroup: RowGroup): Boolean = {
    def isInside(size: Long): Boolean = size >= 0 && size <= file.getLen
    rowGroup.getNum_rows >= 0 && !rowGroup.getColumns.isEmpty &&
    rowGroup.getColumns.asScala.forall(chunk => isInside(chunk.getMeta_data.getTotal_compressed_size)) &&
    isInside(RowGroupOffsets.midpoint(rowGroup))
  }

  /** Local reads take as long as the disk and other programs let them. */
  private def isLocal(file: FileStatus): Boolean =
    Option(file.getPath.toUri.getScheme).forall(_ == "file")

  /** The footer, and how many nanoseconds the first request took. */
  private def footerBytes(file: FileStatus): (Array[Byte], Long) = {
    if (file.getLen < Magic.length + TrailerLength) fail(file, s"it has only ${file.getLen} bytes")
    val stream = open(file)
    try {
      val tailStart = math.max(0L, file.getLen - firstRead)
      val started = System.nanoTime()
      val tail = Storage.readAt(stream, tailStart, file.getLen - tailStart)
      val nanos = System.nanoTime() - started
      val length = footerLength(tail)
      val magic = new String(tail, tail.length - Magic.length, Magic.length, US_ASCII)
      if (magic != new String(Magic, US_ASCII)) fail(file, s"it ends with '$magic' instead of 'PAR1'")
      val footerEnd = file.getLen - TrailerLength
      if (length <= 0 || length > footerEnd - Magic.length)
        fail(file, s"its length is $length bytes")
      if (length > LargestFooter)
        fail(file, s"it has $length bytes, but planning reads at most $LargestFooter")
      val footer = if (length <= tail.length - TrailerLength) {
        val start = tail.length - TrailerLength - length
        if (start > 0) parts.foreach(_.add(file, tailStart, tail.slice(0, start)))
        tail.slice(start, start + length)
      } else {
        val start = footerEnd - length
        Storage.readAt(stream, start, tailStart - start) ++ tail.dropRight(TrailerLength)
      }
      (footer, nanos)
    } finally stream.close()
  }

  private def fail(file: FileStatus, problem: String): Nothing =
    throw new UnreadableFooterException(file, problem)
}

private[limitpruning] object FooterReader {

  /** Wraps every error about a footer in an exception that names the file. */
  def explained[T](file: FileStatus)(body: => T): T =
    try body
    catch {
      case e: UnreadableFooterException => throw e
      case Interrupted(interruption) => throw interruption
      // Parsing has no state, so a stack overflow, on a schema of extreme depth, is harmless.
      case e @ (_: IOException | _: RuntimeException | _: StackOverflowError) =>
        throw new UnreadableFooterException(file, Option(e.getMessage).getOrElse(e.getClass.getName), e)
    }

  private val Magic = ParquetFileWriter.MAGIC

  /** The footer's length in four little-endian bytes, then the magic number. */
  private val TrailerLength = 4 + Magic.length

  /**
   * The largest footer that is parsed while planning, in bytes. In memory, a footer needs several times this
   * size.
   */
  private val LargestFooter = 64 * 1024 * 1024

  /** The largest gap in bytes that is read between two parts, instead of a separate request. */
  private val LargestGap = 64L * 1024

  /** Bytes that the first request reads at the end of a file: enough for most footers, and cheap for all. */
  private val FooterAlone = 16L * 1024

  /** As above, enough for the footer and the page index of most files. */
  private val FooterAndPageIndex = 64L * 1024
}

/**
 * parquet-java's footer parser without the Hadoop configuration. A setting that makes it trust statistics of
 * a wrong sort order (`parquet.strings.signed-min-max.enabled`) therefore has no effect on proofs.
 * Thread-safe.
 */
private[parquet] object FooterConverter {
  def apply(): ParquetMetadataConverter = converter

  private val converter =
    new ParquetMetadataConverter(ParquetShims.optionsWithoutHadoop)
}
