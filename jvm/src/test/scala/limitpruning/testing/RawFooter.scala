package limitpruning.testing

import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.conf.PlainParquetConfiguration
import org.apache.parquet.format._
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.metadata.{FileMetaData => ParquetFileMetaData, ParquetMetadata}
import org.apache.parquet.schema.{MessageType, MessageTypeParser}

import limitpruning.parquet.{FileColumns, Footer, FooterSeal, NarrowedFooter}

/**
 * The metadata of one column chunk in the footer of a test; none for data that the writer did not write.
 *
 * @param values values and nulls, if their number differs from the rows of the row group
 * @param deprecated whether min and max are in the old fields, of unknown order
 * @param exact the writer's mark whether min and max are exact
 */
final case class RawChunk(
    min: Option[Any] = None,
    max: Option[Any] = None,
    nulls: Option[Long] = None,
    values: Option[Long] = None,
    deprecated: Boolean = false,
    exact: Option[Boolean] = None
) {
  def nulls(count: Long): RawChunk = copy(nulls = Some(count))

  def statistics: Option[Statistics] = if (min.isEmpty && max.isEmpty && nulls.isEmpty) None
  else {
    val statistics = new Statistics()
    nulls.foreach(statistics.setNull_count)
    if (deprecated) {
      min.foreach(v => statistics.setMin(RawChunk.plain(v)))
      max.foreach(v => statistics.setMax(RawChunk.plain(v)))
    } else {
      min.foreach(v => statistics.setMin_value(RawChunk.plain(v)))
      max.foreach(v => statistics.setMax_value(RawChunk.plain(v)))
    }
    exact.foreach(e => statistics.setIs_min_value_exact(e).setIs_max_value_exact(e))
    Some(statistics)
  }
}

object RawChunk {
  val silent: RawChunk = RawChunk()
  def between(min: Any, max: Any): RawChunk = RawChunk(Some(min), Some(max))

  /** Parquet's plain encoding, which statistics use. */
  def plain(value: Any): Array[Byte] = value match {
    case b: Boolean => Array(if (b) 1.toByte else 0.toByte)
    case i: Int => buffer(4).putInt(i).array
    case l: Long => buffer(8).putLong(l).array
    case f: Float => buffer(4).putFloat(f).array
    case d: Double => buffer(8).putDouble(d).array
    case s: String => s.getBytes(UTF_8)
    case bytes: Array[Byte] => bytes
    case other => throw new IllegalArgumentException(s"a footer cannot hold $other")
  }

  private def buffer(size: Int): ByteBuffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN)
}

/** A footer without a file: row groups of 100 bytes for each column, one after the other. */
final case class RawFooter(schema: MessageType, rowGroups: Vector[(Long, Seq[RawChunk])], createdBy: String) {

  import RawFooter.converter

  /** @param chunks one for each leaf of the schema, in its order */
  def rowGroup(rows: Long, chunks: RawChunk*): RawFooter = copy(rowGroups = rowGroups :+ (rows -> chunks))

  def metadata: FileMetaData = {
    val file = new ParquetFileMetaData(schema, Map.empty[String, String].asJava, createdBy)
    val raw = converter.toParquetMetadata(1, new ParquetMetadata(file, List.empty.asJava))
    raw.setRow_groups(rowGroups.zipWithIndex.map { case ((rows, chunks), i) =>
      group(i, rows, chunks)
    }.asJava)
  }

  def footer: Footer = footer(metadata)

  def footer(raw: FileMetaData): Footer = Footer.of(NarrowedFooter.of(raw, FileColumns.All, FooterSeal(1, 1)))

  private def group(ordinal: Int, rows: Long, chunks: Seq[RawChunk]): RowGroup = {
    val columns = chunks.zipWithIndex.map { case (chunk, i) =>
      val path = schema.getColumns.get(i).getPath
      val physical = schema.getColumns.get(i).getPrimitiveType.getPrimitiveTypeName.name
      val kind = Type.valueOf(physical.replaceFirst("^BINARY$", "BYTE_ARRAY"))
      val offset = 4L + 100L * (ordinal * chunks.size + i)
      val meta = new ColumnMetaData(
        kind,
        List(Encoding.PLAIN).asJava,
        path.toSeq.asJava,
        CompressionCodec.UNCOMPRESSED,
        chunk.values.getOrElse(rows),
        100L,
        100L,
        offset
      )
      chunk.statistics.foreach(meta.setStatistics)
      new ColumnChunk(offset).setMeta_data(meta)
    }
    new RowGroup(columns.asJava, 100L * chunks.size, rows).setTotal_compressed_size(100L * chunks.size)
  }
}

object RawFooter {
  private val converter =
    new ParquetMetadataConverter(ParquetReadOptions.builder(new PlainParquetConfiguration()).build())

  def apply(fields: String): RawFooter =
    RawFooter(
      MessageTypeParser.parseMessageType(s"message m { $fields }"),
      Vector.empty,
      "parquet-mr version 1.17.0"
    )
}
