package limitpruning.parquet

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.util.Collections

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{ColumnChunk => RawColumnChunk, _}
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.format.converter.ParquetMetadataConverter.MetadataFilter
import org.apache.parquet.hadoop.metadata.BlockMetaData

import limitpruning.select.{RowRange, SelectedColumns, SelectedRowGroup}

/**
 * The locations of the row groups of a file for a scan by byte ranges. Immutable. It is sent by executors.
 *
 * @param midpoints the byte by which Parquet's readers decide to which split a row group belongs: the middle
 *   of its bytes, counted from the first page of its first column, as in
 *   `ParquetMetadataConverter.filterFileMetaDataByMidpoint`. It is computed from the raw footer, because the
 *   parsed footer no longer contains the row group's own size
 * @param bytes compressed bytes of all columns of each row group
 * @param rows rows of each row group
 * @param skeleton a footer with only the same row groups, from which parquet-java itself computes the
 *   selection of a byte range
 */
final class RowGroupOffsets private (
    val midpoints: IndexedSeq[Long],
    val bytes: IndexedSeq[Long],
    rows: IndexedSeq[Long],
    skeleton: Array[Byte]
) extends Serializable {

  /**
   * Whether a scan of the bytes from the first to the last midpoint of any adjacent ones of these row groups reads no other
   * row group. Row groups without rows often have no place in the file: Arrow writes an offset of 0. They may be anywhere but
   * between such midpoints.
   *
   * @param ordinals ascending and not empty
   */
  def selectsExactly(ordinals: Seq[Int]): Boolean = {
    val selected = ordinals.toSet
    val (placed, empty) = midpoints.indices.partition(i => rows(i) > 0 || selected(i))
    val (from, until) = (midpoints(ordinals.head), midpoints(ordinals.last))
    def inOrder = placed.zip(placed.drop(1)).forall { case (i, next) => midpoints(i) < midpoints(next) }
    def areApart = empty.isEmpty || runs(ordinals).forall { case (first, last) =>
      !empty.exists(i => midpoints(first) <= midpoints(i) && midpoints(i) <= midpoints(last))
    }
    inOrder && areApart && recent.getOrElse((from, until))(selectsSame(from, until))
  }

  // The footer is cached for many queries. Parsing the skeleton takes longer than everything else here.
  @transient private lazy val recent = new RecentAnswers[(Long, Long), Boolean](RowGroupOffsets.MostRanges)

  /** Whether parquet-java selects the row groups whose midpoints are between these, which are included. */
  private def selectsSame(from: Long, until: Long): Boolean = {
    val all = parsed(ParquetMetadataConverter.NO_FILTER)
    val within = midpoints.indices.filter(i => from <= midpoints(i) && midpoints(i) <= until)
    parsed(ParquetMetadataConverter.range(from, until + 1)) == within.map(all)
  }

  /** The first and the last of adjacent ordinals. */
  private def runs(ordinals: Seq[Int]): Seq[(Int, Int)] =
    ordinals.foldLeft(Vector.empty[(Int, Int)]) {
      case (before :+ ((first, last)), next) if last + 1 == next => before :+ (first -> next)
      case (before, next) => before :+ (next -> next)
    }

  /** The approximate memory in bytes. */
  def size: Int = 72 * midpoints.size + skeleton.length

  private def parsed(filter: MetadataFilter): IndexedSeq[(Long, Long)] =
    FooterConverter().readParquetMetadata(new ByteArrayInputStream(skeleton), filter).getBlocks.asScala
      .iterator.map(identity).toVector

  private def identity(rowGroup: BlockMetaData): (Long, Long) =
    (rowGroup.getStartingPos, rowGroup.getRowCount)
}

private[parquet] object RowGroupOffsets {

  /** The number of byte ranges whose answers are stored. */
  private val MostRanges = 8

  /** @param raw the footer, with the metadata of all its columns */
  def of(raw: FileMetaData): RowGroupOffsets = {
    val rowGroups = raw.getRow_groups.asScala.toVector
    val bytes = rowGroups.map(_.getColumns.asScala.iterator.map(_.getMeta_data.getTotal_compressed_size).sum)
    new RowGroupOffsets(rowGroups.map(midpoint), bytes, rowGroups.map(_.getNum_rows), skeleton(rowGroups))
  }

  private[parquet] def midpoint(rowGroup: RowGroup): Long = {
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

  private def skeleton(rowGroups: Seq[RowGroup]): Array[Byte] = {
    val root = new SchemaElement("m").setNum_children(1)
    val leaf = new SchemaElement(Column).setType(Type.INT32).setRepetition_type(FieldRepetitionType.REQUIRED)
    val bare = new FileMetaData(1, List(root, leaf).asJava, 0L, rowGroups.map(stripped).asJava)
    val out = new ByteArrayOutputStream
    Util.writeFileMetaData(bare, out)
    out.toByteArray
  }

  private def stripped(rowGroup: RowGroup): RowGroup = {
    // If a row group does not contain its own size, parquet-java adds up the sizes of its columns.
    val columns =
      if (rowGroup.isSetTotal_compressed_size) rowGroup.getColumns.asScala.take(1)
      else rowGroup.getColumns.asScala
    val bare = new RowGroup(columns.map(stripped).asJava, 0L, rowGroup.getNum_rows)
    if (rowGroup.isSetTotal_compressed_size) bare.setTotal_compressed_size(rowGroup.getTotal_compressed_size)
    bare
  }

  private def stripped(column: RawColumnChunk): RawColumnChunk = {
    val full = column.getMeta_data
    val metadata = new ColumnMetaData(
      Type.INT32,
      Collections.emptyList[Encoding](),
      Collections.singletonList(Column),
      CompressionCodec.UNCOMPRESSED,
      full.getNum_values,
      0L,
      full.getTotal_compressed_size,
      full.getData_page_offset
    )
    if (full.isSetDictionary_page_offset) metadata.setDictionary_page_offset(full.getDictionary_page_offset)
    new RawColumnChunk(0L).setMeta_data(metadata)
  }

  private val Column = "c"
}

/**
 * Stores the answers to the last questions. Thread-safe. An answer may be found more than once.
 *
 * @param most the maximum number of answers
 */
private[parquet] final class RecentAnswers[Q, A](most: Int) {
  @volatile private var answers = Vector.empty[(Q, A)]

  def getOrElse(question: Q)(find: => A): A =
    answers.find(_._1 == question).fold {
      val found = find
      answers = (question -> found) +: answers.take(most - 1)
      found
    }(_._2)
}

/** Determines the bytes of a file by which each selected row group is read. */
object Addressing {

  /**
   * @param ordinals row groups of the footer, ascending and not empty
   * @return the whole row groups with their byte ranges; none if byte ranges cannot separate them
   */
  def of(footer: Footer, ordinals: Seq[Int]): Option[Seq[SelectedRowGroup]] =
    if (footer.offsets.selectsExactly(ordinals)) {
      val emptyBefore = footer.rowGroups.scanLeft(0)((n, next) => if (next.getRowCount > 0) n else n + 1)
      Some(ordinals.map(whole(footer, _, emptyBefore)))
    } else None

  private def whole(footer: Footer, i: Int, emptyBefore: Int => Int): SelectedRowGroup = {
    // Numbers in an array are not boxed. A table may have thousands of columns.
    val lengths = footer.places(i).iterator.map(_.length).toArray.toIndexedSeq
    val rows = footer.rowGroups(i).getRowCount
    SelectedRowGroup(
      i,
      rows,
      footer.offsets.midpoints(i),
      footer.offsets.bytes(i),
      SelectedColumns(footer.places.paths(i), lengths),
      RowRange.all(rows),
      emptyBefore = emptyBefore(i)
    )
  }
}
