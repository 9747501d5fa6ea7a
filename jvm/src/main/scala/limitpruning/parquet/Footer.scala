package limitpruning.parquet

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ColumnPath}
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.schema.MessageType

import limitpruning.select.{FilePart, FileVersion}

/**
 * What is kept of one file's footer: everything about the columns that were asked for. Immutable.
 *
 * @param createdBy null where the file does not tell
 * @param schema of the columns that were asked for
 * @param keyValues what Spark, if it wrote the file, tells of its calendar
 * @param rowGroups in file order, with the chunks of these columns
 * @param mayBeCut by row group and leaf: a bound may be shorter than the value it bounds
 * @param columns those that are here, if the file has them
 * @param seal by which the file is known again
 */
final class Footer private (
    val createdBy: String,
    val schema: MessageType,
    val keyValues: Map[String, String],
    isEncrypted: Boolean,
    val rowGroups: IndexedSeq[BlockMetaData],
    mayBeCut: IndexedSeq[Array[Boolean]],
    val offsets: RowGroupOffsets,
    val columns: FileColumns,
    val seal: FooterSeal
) {

  /** A statement about a column chunk, where it stands in the order of the schema's leaves, as chunks do. */
  private[parquet] def statement(rowGroup: Int, leaf: Int, path: ColumnPath): Option[ColumnChunk] = {
    val chunks = rowGroups(rowGroup).getColumns
    if (leaf < 0 || leaf >= chunks.size || chunks.get(leaf).getPath != path) None
    else Some(ColumnChunk(rowGroups(rowGroup).getRowCount, chunks.get(leaf), mayBeCut(rowGroup)(leaf)))
  }

  /**
   * Where a chunk stands, unless it is encrypted or not there.
   *
   * @param leaf the column's position among the leaves of the schema
   */
  private[parquet] def chunk(rowGroup: Int, leaf: Int): Option[ColumnChunkMetaData] =
    if (isEncrypted) None else rowGroups.lift(rowGroup).flatMap(_.getColumns.asScala.lift(leaf))

  /** The same with a schema that equals its own, so that files of one table can share it. */
  private[limitpruning] def sharing(intern: MessageType => MessageType): Footer =
    new Footer(
      createdBy,
      intern(schema),
      keyValues,
      isEncrypted,
      rowGroups,
      mayBeCut,
      offsets,
      columns,
      seal
    )

  /** Bytes of memory, about; the schema, which files share, left out. */
  private[limitpruning] def size: Int =
    Footer.OwnSize + offsets.size + rowGroups.iterator.map(Footer.sizeOf).sum.min(Int.MaxValue / 2L).toInt
}

private[limitpruning] object Footer {

  /** @throws RuntimeException where parquet-java cannot make sense of it */
  def of(narrowed: NarrowedFooter): Footer = {
    val raw: FileMetaData = narrowed.metadata
    val parsed = FooterConverter().fromParquetMetadata(raw)
    val file = parsed.getFileMetaData
    new Footer(
      file.getCreatedBy,
      file.getSchema,
      file.getKeyValueMetaData.asScala.toMap,
      file.getEncryptionType != EncryptionType.UNENCRYPTED,
      parsed.getBlocks.asScala.toIndexedSeq,
      raw.getRow_groups.asScala.iterator.map { rowGroup =>
        rowGroup.getColumns.asScala.iterator
          .map(c => ColumnChunk.mayBeCut(c.getMeta_data.getStatistics))
          .toArray
      }.toIndexedSeq,
      narrowed.offsets,
      narrowed.columns,
      narrowed.seal
    )
  }

  private val OwnSize = 1024
  private val RowGroupSize = 160
  private val ChunkSize = 360

  private def sizeOf(rowGroup: BlockMetaData): Long =
    RowGroupSize + rowGroup.getColumns.asScala.iterator.map(sizeOf).sum

  private def sizeOf(chunk: ColumnChunkMetaData): Long = {
    val statistics: Statistics[_] = chunk.getStatistics
    val bounds =
      if (statistics == null || !statistics.hasNonNullValue) 0
      else statistics.getMinBytes.length + statistics.getMaxBytes.length
    ChunkSize.toLong + bounds
  }
}

/**
 * By what the footer of a file is known again: a file whose footer is another one is another file, whatever its length
 * and its time.
 *
 * @param length bytes of the serialised footer
 * @param checksum its CRC-32C
 */
final case class FooterSeal(length: Int, checksum: Int) {

  /**
   * @param fileLength bytes of the file when it was listed
   * @param parts what else was read of it while planning
   */
  def version(fileLength: Long, parts: Seq[FilePart] = Nil): FileVersion =
    FileVersion(fileLength, length, checksum, parts)
}

object FooterSeal {

  /** Of a serialised footer. */
  def of(footer: Array[Byte]): FooterSeal = FooterSeal(footer.length, FileParts.checksum(footer))
}
