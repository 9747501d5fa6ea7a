package limitpruning.parquet

import java.io.{ByteArrayInputStream, IOException}
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.US_ASCII

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.conf.PlainParquetConfiguration
import org.apache.parquet.format.Util
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream

/** A file whose footer cannot be read or used; what a scan of it does is left to plain Spark. */
final class UnreadableFooterException(file: FileStatus, problem: String, cause: Throwable = null)
    extends IOException(s"cannot use the Parquet footer of ${file.getPath}: $problem", cause)

/**
 * Reads footers, with one request for a file whose footer is small. Thread-safe.
 *
 * @param conf the Hadoop configuration of the relation that is read
 */
final class FooterReader(conf: Configuration) {
  import FooterReader._

  /**
   * @throws UnreadableFooterException where the file is missing, truncated, encrypted or not Parquet
   * @throws InterruptedException where the query is cancelled
   */
  def read(file: FileStatus): Footer =
    try {
      val bytes = footerBytes(file)
      val footer = new Footer(bytes, Util.readFileMetaData(new ByteArrayInputStream(bytes)), converter)
      if (!footer.rowGroups.forall(hasPlausibleSize)) fail(file, "a row group has a negative size")
      footer
    } catch {
      case e: UnreadableFooterException => throw e
      case Interrupted(interruption) => throw interruption
      case e @ (_: IOException | _: RuntimeException) =>
        throw new UnreadableFooterException(file, Option(e.getMessage).getOrElse(e.getClass.getName), e)
    }

  // Made without the Hadoop configuration: a setting that makes parquet-java believe statistics of a wrong sort
  // order (parquet.strings.signed-min-max.enabled) has no say in proofs.
  private val converter =
    new ParquetMetadataConverter(ParquetReadOptions.builder(new PlainParquetConfiguration()).build())

  private def hasPlausibleSize(rowGroup: BlockMetaData): Boolean =
    rowGroup.getRowCount >= 0 && rowGroup.getCompressedSize >= 0 && !rowGroup.getColumns.isEmpty

  private def footerBytes(file: FileStatus): Array[Byte] = {
    if (file.getLen < Magic.length + TrailerLength) fail(file, s"it has only ${file.getLen} bytes")
    val stream = HadoopInputFile.fromStatus(file, conf).newStream()
    try {
      val tail = readAt(stream, math.max(0L, file.getLen - FirstRead), file.getLen)
      val trailer =
        ByteBuffer.wrap(tail, tail.length - TrailerLength, TrailerLength).order(ByteOrder.LITTLE_ENDIAN)
      val footerLength = trailer.getInt
      val magic = new String(tail, tail.length - Magic.length, Magic.length, US_ASCII)
      if (magic != new String(Magic, US_ASCII)) fail(file, s"it ends with '$magic' instead of 'PAR1'")
      val footerEnd = file.getLen - TrailerLength
      if (footerLength <= 0 || footerLength > footerEnd - Magic.length)
        fail(file, s"its length is $footerLength")
      if (footerLength <= tail.length - TrailerLength) {
        val end = tail.length - TrailerLength
        tail.slice(end - footerLength, end)
      } else readAt(stream, footerEnd - footerLength, footerEnd)
    } finally stream.close()
  }

  private def readAt(stream: SeekableInputStream, from: Long, until: Long): Array[Byte] = {
    val bytes = new Array[Byte](Math.toIntExact(until - from))
    stream.seek(from)
    stream.readFully(bytes)
    bytes
  }

  private def fail(file: FileStatus, problem: String): Nothing =
    throw new UnreadableFooterException(file, problem)
}

private object FooterReader {
  private val Magic = ParquetFileWriter.MAGIC

  /** The footer's length as four little-endian bytes, then the magic number. */
  private val TrailerLength = 4 + Magic.length

  /** Bytes read at once from the end of a file: enough for most footers, cheap for all. */
  private val FirstRead = 16L * 1024
}
