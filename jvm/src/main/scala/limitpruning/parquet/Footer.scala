package limitpruning.parquet

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.format.{ColumnOrder, FileMetaData}
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ColumnPath}
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import limitpruning.select.{FilePart, FileVersion}

/**
 * The content of one file's footer for the requested columns. Immutable.
 *
 * @param createdBy null if the footer does not contain it
 * @param schema of the columns that `columns` contain
 * @param keyValues Spark's metadata about the calendar, if Spark wrote the file
 * @param rowGroups in file order, with the chunks of the columns that `columns` contain
 * @param mayBeCut by row group and leaf: whether min or max may be truncated
 * @param int96 min and max of INT96 columns, which parquet-java does not return
 * @param places of the chunks of the columns that `columns` locate
 * @param columns the requested columns; this footer contains those of them that the file has
 * @param seal identifies the footer
 * @param usesDictionaries whether the first row group has a dictionary, of any column
 * @param requestNanos the duration of the request that read it; 0 if the file is local
 */
final class Footer private (
    val createdBy: String,
    val schema: MessageType,
    val keyValues: Map[String, String],
    isEncrypted: Boolean,
    val rowGroups: IndexedSeq[BlockMetaData],
    mayBeCut: IndexedSeq[Array[Boolean]],
    int96: Int96Statistics,
    val offsets: RowGroupOffsets,
    val places: ChunkPlaces,
    val columns: FileColumns,
    val seal: FooterSeal,
    usesDictionaries: Boolean,
    requestNanos: Long
) {

  /** What its writer states that counts. Found once for a footer, because cached footers serve many queries. */
  private[parquet] lazy val trust: TrustedClaims = new TrustedClaims(createdBy)

  /** The bytes that a task could read during a request to the storage of the file; 0 if the file is local. */
  def requestBytes: Long = requestNanos.min(Footer.MostNanos) / Footer.NanosOfByte

  /** Whether pages are where the offset indexes of this file say. If not, only whole row groups are read. */
  def hasTrustedPages: Boolean = trust.provesByPages

  /**
   * Whether Spark's reader may skip pages by column indexes that prove nothing, because the writer is not listed for them.
   * The rows that it returns are those of the other pages.
   *
   * @param isFiltered whether a top-level column is in the predicate
   */
  def hasUnlistedColumnIndexes(isFiltered: String => Boolean): Boolean = !hasTrustedPages &&
    rowGroups.exists(_.getColumns.asScala.exists { chunk =>
      chunk.getColumnIndexReference != null && isFiltered(chunk.getPath.toArray.head)
    })

  /**
   * Whether parquet-java has written a chunk without a dictionary, and others with one. It does so if the first values are nearly all
   * different. A setting can do so, too, so this proves nothing. It may write none for booleans, for binary values of a fixed length, and
   * where most values are null, however few there are.
   */
  private[parquet] def leavesOutDictionary(chunk: ColumnChunkMetaData): Boolean =
    usesDictionaries && Writer.of(createdBy).name == "parquet-mr" && !chunk.hasDictionaryPage &&
      !Footer.WithoutDictionary.contains(chunk.getPrimitiveType.getPrimitiveTypeName) &&
      Option(chunk.getStatistics).exists(s => s.isNumNullsSet && s.getNumNulls <= chunk.getValueCount / 2)

  /** Whether a chunk probably has too many values for a dictionary. This proves nothing. */
  private[limitpruning] def hasManyValues(chunk: ColumnChunkMetaData): Boolean =
    ChunkReader.exceedsDictionary(chunk) || leavesOutDictionary(chunk)

  /** The metadata of a column chunk. None if the chunk is not at the position of its leaf in the schema. */
  private[parquet] def statement(rowGroup: Int, leaf: Int, path: ColumnPath): Option[ColumnChunk] = {
    val chunks = rowGroups(rowGroup).getColumns
    if (leaf < 0 || leaf >= chunks.size || chunks.get(leaf).getPath != path) None
    else
      Some(ColumnChunk(
        rowGroups(rowGroup).getRowCount,
        chunks.get(leaf),
        mayBeCut(rowGroup)(leaf),
        int96.minMax(rowGroup, leaf)
      ))
  }

  /** Whether min and max of an INT96 column are in the order of time. */
  private[parquet] def isInOrderOfTime(leaf: Int): Boolean = int96.areInOrderOfTime(leaf)

  /**
   * The metadata of a chunk with its location. None if it is encrypted or does not exist.
   *
   * @param leaf the column's position among the leaves of the schema
   */
  private[parquet] def chunk(rowGroup: Int, leaf: Int): Option[ColumnChunkMetaData] =
    if (isEncrypted) None else rowGroups.lift(rowGroup).flatMap(_.getColumns.asScala.lift(leaf))

  /** The same footer with an equal schema, equal paths and equal columns, which files of one table share. */
  private[limitpruning] def sharing(
      internSchema: MessageType => MessageType,
      internPaths: ColumnPaths => ColumnPaths,
      internColumns: FileColumns => FileColumns
  ): Footer =
    new Footer(
      createdBy,
      internSchema(schema),
      keyValues,
      isEncrypted,
      rowGroups,
      mayBeCut,
      int96,
      offsets,
      places.sharing(internPaths),
      internColumns(columns),
      seal,
      usesDictionaries,
      requestNanos
    )

  /** The approximate memory in bytes, without what files share. */
  private[limitpruning] def size: Int = ownSize

  private lazy val ownSize: Int =
    Footer.OwnSize + offsets.size + places.size + int96.size +
      rowGroups.iterator.map(Footer.sizeOf).sum.min(Int.MaxValue / 4L).toInt
}

private[limitpruning] object Footer {

  /** @throws RuntimeException if parquet-java cannot parse it */
  def of(narrowed: NarrowedFooter): Footer = {
    val raw: FileMetaData = narrowed.metadata
    // Without a member, parquet-java ignores min and max.
    narrowed.otherOrders.keys.foreach(raw.getColumn_orders.set(_, new ColumnOrder()): Unit)
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
      Int96Statistics.of(raw, narrowed.otherOrders),
      narrowed.offsets,
      narrowed.places,
      narrowed.columns,
      narrowed.seal,
      narrowed.usesDictionaries,
      narrowed.requestNanos
    )
  }

  /** A task reads about 100 MB/s from an object store. */
  private val NanosOfByte = 10L

  /** The first requests to a storage take longer, and their footers may stay in the cache. */
  private val MostNanos = 100L * 1000 * 1000

  private val WithoutDictionary = Set(PrimitiveTypeName.BOOLEAN, PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY)

  private val OwnSize = 1024
  private val RowGroupSize = 160
  private val ChunkSize = 640

  private def sizeOf(rowGroup: BlockMetaData): Long =
    RowGroupSize + rowGroup.getColumns.asScala.iterator.map(sizeOf).sum

  private def sizeOf(chunk: ColumnChunkMetaData): Long = {
    val statistics: Statistics[_] = chunk.getStatistics
    val minMax =
      if (statistics == null || !statistics.hasNonNullValue) 0
      else statistics.getMinBytes.length + statistics.getMaxBytes.length
    ChunkSize.toLong + minMax
  }
}

/**
 * Identifies the content of a footer. A file with another footer is another file, even if its length and time
 * are the same.
 *
 * @param length bytes of the serialized footer
 * @param checksum its CRC-32C
 */
final case class FooterSeal(length: Int, checksum: Int) {

  /**
   * @param fileLength bytes of the file when it was listed
   * @param parts the other parts that were read while planning
   */
  def version(fileLength: Long, parts: Seq[FilePart] = Nil): FileVersion =
    FileVersion(fileLength, length, checksum, parts)
}

object FooterSeal {

  /** The seal of a serialized footer. */
  def of(footer: Array[Byte]): FooterSeal = FooterSeal(footer.length, FileParts.checksum(footer))
}
