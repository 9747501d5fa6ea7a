package limitpruning.parquet

import java.io.{ByteArrayInputStream, Closeable, InputStream}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.format.{ColumnIndex, OffsetIndex, Util}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

import limitpruning.select.{RowRange, SelectedPages}

/**
 * Reads the page index of one file's column chunks, each part once. The result is none for anything that is
 * absent, unreadable, too large, encrypted or malformed. The file is opened at the first read. Not
 * thread-safe.
 *
 * A chunk is identified by its place, or by the ordinal of its row group and its column's position among the leaves of the
 * footer's schema.
 *
 * @param maxBytes the maximum total size; parts of the index that exceed it are not read
 */
final class PageIndexReader(file: FileStatus, footer: Footer, storage: Storage, maxBytes: Long)
    extends Closeable {
  private val sections = new FileSections(file, storage)
  private val loaded = mutable.Map.empty[IndexPlace, Array[Byte]]
  private val columns = mutable.Map.empty[(Int, Int), Option[ColumnIndex]]
  private var failed = false
  private val locations = mutable.Map.empty[(Int, ChunkPlace), Option[PageLocations]]

  /** The bytes requested of the file so far. */
  def bytesRead: Long = sections.bytesRead

  /** Whether something could not be read, was malformed, or was too large for `maxBytes`. */
  def hasFailed: Boolean = failed

  /**
   * Whether the footer contains the location of a column index, and of the offset index that it needs. No
   * I/O.
   */
  def hasColumnIndex(rowGroup: Int, leaf: Int): Boolean =
    footer.chunk(rowGroup, leaf).exists { chunk =>
      ChunkPlace.of(chunk).offsetIndex.nonEmpty && columnIndexOf(chunk).nonEmpty
    }

  /** The parts of the file with the offset indexes of some chunks. No I/O. */
  def offsetIndexParts(chunks: Seq[ChunkPlace]): Seq[PartOfFile] = chunks.flatMap(_.offsetIndex).map(part)

  /** The parts of the file with the column index and the offset index of a chunk. No I/O. */
  def pageParts(rowGroup: Int, leaf: Int): Seq[PartOfFile] =
    footer.chunk(rowGroup, leaf).toSeq.flatMap { chunk =>
      columnIndexOf(chunk).map(part) ++ offsetIndexParts(Seq(ChunkPlace.of(chunk)))
    }

  private def part(place: IndexPlace): PartOfFile =
    PartOfFile(file, place.offset, place.length.toLong)

  private def columnIndexOf(chunk: ColumnChunkMetaData): Option[IndexPlace] =
    IndexPlace.of(chunk.getColumnIndexReference)

  /**
   * The pages of several chunks of a row group that contain the rows, by the paths of the chunks. None if the pages of a
   * chunk are not known.
   */
  def pagesOf(
      rowGroup: Int,
      chunks: Seq[ChunkPlace],
      rows: Seq[RowRange]
  ): Option[Map[Seq[String], SelectedPages]] = {
    load(chunks.flatMap(_.offsetIndex))
    val known = chunks.iterator.map(c => c.path -> locations(rowGroup, c)).takeWhile(_._2.nonEmpty)
    val found = known.collect { case (path, Some(pages)) => path -> pages.select(rows) }.toMap
    if (found.size == chunks.size) Some(found) else None
  }

  private[parquet] def locations(rowGroup: Int, leaf: Int): Option[PageLocations] =
    footer.chunk(rowGroup, leaf).flatMap(chunk => locations(rowGroup, ChunkPlace.of(chunk)))

  private def locations(rowGroup: Int, chunk: ChunkPlace): Option[PageLocations] =
    locations.getOrElseUpdate(
      (rowGroup, chunk),
      for {
        place <- chunk.offsetIndex
        index <- read(place)(Util.readOffsetIndex)
        pages <- orNone(PageLocations.of(index, chunk, footer.rowGroups(rowGroup).getRowCount))
      } yield pages
    )

  private[parquet] def columnIndex(rowGroup: Int, leaf: Int): Option[ColumnIndex] =
    columns.getOrElseUpdate(
      (rowGroup, leaf),
      for {
        chunk <- footer.chunk(rowGroup, leaf)
        place <- columnIndexOf(chunk)
        index <- read(place)(Util.readColumnIndex)
      } yield index
    )

  override def close(): Unit = sections.close()

  private def read[I](place: IndexPlace)(parse: InputStream => I): Option[I] = {
    load(Seq(place))
    loaded.get(place).flatMap(bytes =>
      orNone {
        CompactThrift.check(bytes)
        Some(parse(new ByteArrayInputStream(bytes)))
      }
    )
  }

  /**
   * Reads the parts that have not been read yet. Adjacent parts, as writers store them, are read with one
   * request.
   */
  private def load(places: Seq[IndexPlace]): Unit = {
    val missing = places.distinct.filterNot(loaded.contains).sortBy(_.offset)
    val requests = missing.foldLeft(Vector.empty[Vector[IndexPlace]]) {
      case (done :+ last, next) if isNear(last.last, next) => done :+ (last :+ next)
      case (done, next) => done :+ Vector(next)
    }
    requests.foreach { parts =>
      val from = parts.head.offset
      val size = end(parts.last) - from
      if (size > maxBytes - bytesRead) failed = true
      else orNone(Some(sections.bytes(from, size))).foreach { bytes =>
        parts.foreach { part =>
          val start = (part.offset - from).toInt
          loaded(part) = bytes.slice(start, start + part.length)
        }
      }
    }
  }

  private def isNear(before: IndexPlace, next: IndexPlace): Boolean =
    next.offset >= end(before) && next.offset - end(before) <= PageIndexReader.LargestGap

  private def end(place: IndexPlace): Long = place.offset + place.length

  private def orNone[T](body: => Option[T]): Option[T] =
    try body
    catch {
      case Interrupted(interruption) => throw interruption
      case NonFatal(_) =>
        failed = true
        None
    }
}

private object PageIndexReader {

  /** The largest gap in bytes that is read between two parts, instead of a separate request. */
  private val LargestGap = 4096L
}

/**
 * The rows and the bytes of each data page of a column chunk.
 *
 * @param starts the first row of each page, ascending from 0, followed by the number of rows of the row group
 * @param sizes compressed bytes of each page with its header
 * @param dictionaryBytes bytes of the chunk before its first data page
 */
private[parquet] final class PageLocations(starts: Array[Long], sizes: Array[Long], dictionaryBytes: Long) {
  def size: Int = sizes.length
  def first(page: Int): Long = starts(page)
  def end(page: Int): Long = starts(page + 1)
  def rows(page: Int): Long = end(page) - first(page)

  /** The page that contains a row of the row group. */
  def pageOf(row: Long): Int = {
    val found = java.util.Arrays.binarySearch(starts, row)
    if (found >= 0) found else -found - 2
  }

  /** The pages that must be read for the ranges. */
  def select(ranges: Seq[RowRange]): SelectedPages = {
    val selected = new java.util.BitSet(size)
    ranges.foreach(range => selected.set(pageOf(range.from), pageOf(range.until - 1) + 1))
    val bytes = selected.stream.asLongStream.map(page => sizes(page.toInt)).sum
    SelectedPages(dictionaryBytes + bytes, selected.cardinality, size)
  }
}

private[parquet] object PageLocations {

  /** None if the index contradicts itself, the chunk, or the number of rows of the row group. */
  def of(index: OffsetIndex, chunk: ChunkPlace, rows: Long): Option[PageLocations] = {
    val pages = index.getPage_locations.asScala.toIndexedSeq
    val starts = pages.map(_.getFirst_row_index) :+ rows
    val ends = pages.map(page => page.getOffset + page.getCompressed_page_size)
    val isPlausible = pages.nonEmpty && starts.head == 0 && isAscending(starts) &&
      pages.head.getOffset >= chunk.start &&
      pages.forall(_.getCompressed_page_size > 0) &&
      pages.tail.zip(ends).forall { case (page, before) => page.getOffset >= before } &&
      ends.last <= chunk.start + chunk.length
    if (isPlausible) Some(new PageLocations(
      starts.toArray,
      pages.map(_.getCompressed_page_size.toLong).toArray,
      pages.head.getOffset - chunk.start
    ))
    else None
  }

  private def isAscending(rows: IndexedSeq[Long]): Boolean =
    rows.indices.drop(1).forall(i => rows(i - 1) < rows(i))
}
