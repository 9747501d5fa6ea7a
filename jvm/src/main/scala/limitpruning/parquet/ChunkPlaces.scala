package limitpruning.parquet

import java.io.ByteArrayOutputStream
import java.util.IdentityHashMap

import scala.jdk.CollectionConverters._

import org.apache.parquet.bytes.BytesUtils.writeZigZagVarLong
import org.apache.parquet.format.{ColumnChunk => RawColumnChunk, FileMetaData, RowGroup}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.hadoop.metadata.IndexReference

/**
 * The place of a column chunk in its file.
 *
 * @param path the names of the column, from the top level to the leaf
 * @param start the offset of its first byte
 * @param length compressed bytes, with the dictionary
 * @param offsetIndex the place of its offset index; none if the footer does not contain it, or if the file is encrypted
 * @param isSkippable whether Spark's vectorized reader skips values inside its pages correctly ([[SkippableEncodings]])
 */
final case class ChunkPlace(
    path: Seq[String],
    start: Long,
    length: Long,
    offsetIndex: Option[IndexPlace],
    isSkippable: Boolean
)

private[parquet] object ChunkPlace {
  def of(chunk: ColumnChunkMetaData): ChunkPlace = ChunkPlace(
    chunk.getPath.toArray.toSeq,
    chunk.getStartingPos,
    chunk.getTotalSize,
    IndexPlace.of(chunk.getOffsetIndexReference),
    SkippableEncodings.all(chunk.getEncodings)
  )
}

/**
 * The place of a column index or an offset index in its file.
 *
 * @param length in bytes
 */
final case class IndexPlace(offset: Long, length: Int)

private[parquet] object IndexPlace {

  /** @return none if the footer does not contain the place, or if it cannot be right */
  def of(offset: Long, length: Int): Option[IndexPlace] =
    if (offset > 0 && length > 0) Some(IndexPlace(offset, length)) else None

  /** @param reference null if the footer does not contain the place */
  def of(reference: IndexReference): Option[IndexPlace] =
    Option(reference).flatMap(found => of(found.getOffset, found.getLength))
}

/**
 * The places of the column chunks of one file that planning may need. For a column that is neither in the predicate nor in
 * the sort key, this is all that it needs. A table may have thousands of such columns, so a chunk takes few bytes here.
 * Immutable. It is sent by executors.
 */
final class ChunkPlaces private (
    // An array, because Scala's collections load the classes of their elements from the class loader of Scala, and the JAR
    // of the extension may be in another one.
    rowGroups: Array[ChunkPlaces.OfRowGroup]
) extends Serializable {

  /** The chunks of a row group, in the order of the file. */
  def apply(rowGroup: Int): Seq[ChunkPlace] = rowGroups(rowGroup).at(_ => true)

  /** Those of these chunks whose positions among `paths` meet a condition. */
  def at(rowGroup: Int)(isWanted: Int => Boolean): Seq[ChunkPlace] = rowGroups(rowGroup).at(isWanted)

  /** The compressed bytes of those of these chunks whose positions among `paths` meet a condition. */
  def bytes(rowGroup: Int)(isWanted: Int => Boolean): Long = rowGroups(rowGroup).bytes(isWanted)

  /** The paths of these chunks, which the row groups of a table share. */
  private[limitpruning] def paths(rowGroup: Int): IndexedSeq[Seq[String]] = rowGroups(rowGroup).paths.paths

  /** The same places with equal paths, which files of one table share. */
  private[parquet] def sharing(intern: ColumnPaths => ColumnPaths): ChunkPlaces = {
    val shared = new IdentityHashMap[ColumnPaths, ColumnPaths] // the row groups of a file share them already
    new ChunkPlaces(rowGroups.map(_.sharing(shared.computeIfAbsent(_, paths => intern(paths)))))
  }

  /** The approximate memory in bytes, without the paths, which files share. */
  def size: Int = rowGroups.iterator.map(_.size.toLong).sum.min(Int.MaxValue / 4L).toInt
}

/** The paths of the columns of a row group. */
private[limitpruning] final case class ColumnPaths(paths: IndexedSeq[Seq[String]])

private[parquet] object ChunkPlaces {

  /**
   * @param raw the footer, with the metadata of all its columns
   * @param columns the columns whose places are needed
   */
  def of(raw: FileMetaData, columns: FileColumns): ChunkPlaces = {
    val found = raw.getRow_groups.asScala.scanLeft(Option.empty[OfRowGroup]) { (before, rowGroup) =>
      Some(OfRowGroup(located(rowGroup, columns), before.map(_.paths), raw.isSetEncryption_algorithm))
    }
    new ChunkPlaces(found.flatten.toArray)
  }

  private def located(rowGroup: RowGroup, columns: FileColumns): IndexedSeq[RawColumnChunk] =
    rowGroup.getColumns.asScala.filter { chunk =>
      chunk.getMeta_data.getPath_in_schema.asScala.headOption.exists(columns.locates)
    }.toIndexedSeq

  /**
   * The chunks of one row group. Each is four numbers of variable length: usually, a chunk begins where the last one
   * ends, and so does an offset index, so that two of the numbers are 0. The lowest bit of the last one is set if the
   * chunk is not skippable.
   */
  private final class OfRowGroup(val paths: ColumnPaths, numbers: Array[Byte]) extends Serializable {

    def at(isWanted: Int => Boolean): Seq[ChunkPlace] = {
      val in = new Numbers(numbers)
      var chunkEnd, indexEnd = 0L
      val found = Vector.newBuilder[ChunkPlace]
      paths.paths.indices.foreach { i =>
        val start = chunkEnd + in.next()
        val length = in.next()
        val indexStart = indexEnd + in.next()
        val indexLengthAndFlag = in.next()
        val indexLength = (indexLengthAndFlag >> 1).toInt
        chunkEnd = start + length
        indexEnd = indexStart + indexLength
        if (isWanted(i))
          found += ChunkPlace(
            paths.paths(i),
            start,
            length,
            IndexPlace.of(indexStart, indexLength),
            isSkippable = (indexLengthAndFlag & 1) == 0
          )
      }
      found.result()
    }

    def bytes(isWanted: Int => Boolean): Long = {
      val in = new Numbers(numbers)
      var sum = 0L
      paths.paths.indices.foreach { i =>
        in.skip()
        val length = in.next()
        if (isWanted(i)) sum += length
        in.skip()
        in.skip()
      }
      sum
    }

    def sharing(intern: ColumnPaths => ColumnPaths): OfRowGroup = new OfRowGroup(intern(paths), numbers)

    def size: Int = OwnSize + numbers.length
  }

  /** Reads what `writeZigZagVarLong` of parquet-java has written. */
  private final class Numbers(bytes: Array[Byte]) {
    private var position = 0

    def skip(): Unit = {
      while (bytes(position) < 0) position += 1
      position += 1
    }

    def next(): Long = {
      var raw = 0L
      var shift = 0
      while (bytes(position) < 0) {
        raw |= (bytes(position) & 0x7fL) << shift
        shift += 7
        position += 1
      }
      raw |= bytes(position).toLong << shift
      position += 1
      (raw >>> 1) ^ -(raw & 1)
    }
  }

  private object OfRowGroup {

    /** @param before the paths of the row group before, which are usually the same */
    def apply(
        chunks: IndexedSeq[RawColumnChunk],
        before: Option[ColumnPaths],
        isEncrypted: Boolean
    ): OfRowGroup = {
      val paths = ColumnPaths(chunks.map(_.getMeta_data.getPath_in_schema.asScala.toVector))
      val numbers = new ByteArrayOutputStream
      var chunkEnd, indexEnd = 0L
      chunks.foreach { chunk =>
        val first = start(chunk)
        val length = chunk.getMeta_data.getTotal_compressed_size
        // An index of length 0 is none.
        val index = offsetIndex(chunk).filter(_ => !isEncrypted).getOrElse(IndexPlace(indexEnd, 0))
        writeZigZagVarLong(first - chunkEnd, numbers)
        writeZigZagVarLong(length, numbers)
        writeZigZagVarLong(index.offset - indexEnd, numbers)
        val flag = if (SkippableEncodings.all(chunk.getMeta_data.getEncodings)) 0L else 1L
        writeZigZagVarLong((index.length.toLong << 1) | flag, numbers)
        chunkEnd = first + length
        indexEnd = index.offset + index.length
      }
      new OfRowGroup(before.filter(_ == paths).getOrElse(paths), numbers.toByteArray)
    }

    /** As in `ColumnChunkMetaData.getStartingPos` of parquet-java. */
    private def start(chunk: RawColumnChunk): Long = {
      val data = chunk.getMeta_data.getData_page_offset
      val dictionary = chunk.getMeta_data.getDictionary_page_offset // 0 if there is none
      if (dictionary > 0 && dictionary < data) dictionary else data
    }

    private def offsetIndex(chunk: RawColumnChunk): Option[IndexPlace] =
      if (!chunk.isSetOffset_index_offset || !chunk.isSetOffset_index_length) None
      else IndexPlace.of(chunk.getOffset_index_offset, chunk.getOffset_index_length)
  }

  /** Bytes of the objects of a row group. */
  private val OwnSize = 64
}
