package limitpruning.parquet

import java.io.ByteArrayInputStream

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{ColumnChunk => RawColumnChunk, FileMetaData, RowGroup}
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnPath, FileMetaData => ParquetFileMetaData}

/**
 * One file's footer, parsed once.
 *
 * @param bytes the serialised footer, kept so that parquet-java itself can be asked what a byte range selects
 */
final class Footer(bytes: Array[Byte], raw: FileMetaData, converter: ParquetMetadataConverter) {
  private val parsed = converter.fromParquetMetadata(raw)

  def file: ParquetFileMetaData = parsed.getFileMetaData

  /** The row groups in file order. */
  val rowGroups: IndexedSeq[BlockMetaData] = parsed.getBlocks.asScala.toIndexedSeq

  /**
   * The byte by which Parquet's readers decide which split a row group belongs to: the middle of its bytes, from
   * its first column's first page, as `ParquetMetadataConverter.filterFileMetaDataByMidpoint` computes it. Taken
   * from the raw footer, because the parsed one no longer has the row group's own size.
   */
  lazy val midpoints: IndexedSeq[Long] = raw.getRow_groups.asScala.iterator.map(midpoint).toIndexedSeq

  /**
   * A column chunk, where it stands in the order of the schema's leaves, as chunks do.
   *
   * @param leaf the column's position among the leaves of the schema
   */
  private[parquet] def chunk(rowGroup: Int, leaf: Int, path: ColumnPath): Option[ColumnChunk] = {
    val columns = rowGroups(rowGroup).getColumns
    if (leaf < 0 || leaf >= columns.size || columns.get(leaf).getPath != path) None
    else {
      val statistics = raw.getRow_groups.get(rowGroup).getColumns.get(leaf).getMeta_data.getStatistics
      Some(ColumnChunk(rowGroups(rowGroup).getRowCount, columns.get(leaf), statistics))
    }
  }

  /** Whether a scan of the bytes from `midpoints(first)` to `midpoints(last)` reads row groups first … last alone. */
  def selectsExactly(first: Int, last: Int): Boolean = {
    val inOrder = midpoints.indices.drop(1).forall(i => midpoints(i - 1) < midpoints(i))
    val range = ParquetMetadataConverter.range(midpoints(first), midpoints(last) + 1)
    val selected = converter.readParquetMetadata(new ByteArrayInputStream(bytes), range).getBlocks.asScala
    inOrder && selected.map(identity).toSeq == rowGroups.slice(first, last + 1).map(identity)
  }

  private def identity(rowGroup: BlockMetaData): (Long, Long) =
    (rowGroup.getStartingPos, rowGroup.getRowCount)

  private def midpoint(rowGroup: RowGroup): Long = {
    val columns = rowGroup.getColumns.asScala
    val size =
      if (rowGroup.isSetTotal_compressed_size) rowGroup.getTotal_compressed_size
      else columns.iterator.map(_.getMeta_data.getTotal_compressed_size).sum
    firstPage(columns.head) + size / 2
  }

  private def firstPage(column: RawColumnChunk): Long = {
    val metadata = column.getMeta_data
    if (metadata.isSetDictionary_page_offset)
      metadata.getData_page_offset.min(metadata.getDictionary_page_offset)
    else metadata.getData_page_offset
  }
}
