package limitpruning.parquet

import java.io.{ByteArrayInputStream, Closeable, InputStream}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.format.{ColumnIndex, OffsetIndex, Util}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.hadoop.metadata.IndexReference

import limitpruning.select.{RowRange, SelectedPages}

/**
 * Reads the page index of one file's column chunks, each part once. The result is none for anything that is
 * absent, unreadable, too large, encrypted or malformed. The file is opened at the first read. Not
 * thread-safe.
 *
 * A chunk is identified by the ordinal of its row group and its column's position among the leaves of the
 * schema.
 *
 * @param maxBytes the maximum total size; parts of the index that exceed it are not read
 */
final class PageIndexReader(file: FileStatus, footer: Footer, storage: Storage, maxBytes: Long)
    extends Closeable {
  private val sections = new FileSections(file, storage)
  private val loaded = mutable.Map.empty[IndexReference, Array[Byte]]
  private val columns = mutable.Map.empty[(Int, Int), Option[ColumnIndex]]
  private var failed = false
  private val locations = mutable.Map.empty[(Int, Int), Option[PageLocations]]

  /** The bytes requested of the file so far. */
  def bytesRead: Long = sections.bytesRead

  /** Whether something could not be read, was malformed, or was too large for `maxBytes`. */
  def hasFailed: Boolean = failed

  /** Whether the footer contains the location of an offset index. No I/O. */
  def hasOffsetIndex(rowGroup: Int, leaf: Int): Boolean =
    footer.chunk(rowGroup, leaf).exists(c => isUsable(c.getOffsetIndexReference))

  /**
   * Whether the footer contains the location of a column index, and of the offset index that it needs. No
   * I/O.
   */
  def hasColumnIndex(rowGroup: Int, leaf: Int): Boolean =
    hasOffsetIndex(rowGroup, leaf) &&
      footer.chunk(rowGroup, leaf).exists(c => isUsable(c.getColumnIndexReference))

  /** The parts of the file with the offset indexes of some chunks of a row group. No I/O. */
  def offsetIndexParts(rowGroup: Int, leaves: Seq[Int]): Seq[PartOfFile] =
    leaves.flatMap(footer.chunk(rowGroup, _)).flatMap(chunk => part(chunk.getOffsetIndexReference))

  /** The parts of the file with the column index and the offset index of a chunk. No I/O. */
  def pageParts(rowGroup: Int, leaf: Int): Seq[PartOfFile] =
    footer.chunk(rowGroup, leaf).toSeq.flatMap(chunk => part(chunk.getColumnIndexReference)) ++
      offsetIndexParts(rowGroup, Seq(leaf))

  private def part(reference: IndexReference): Option[PartOfFile] =
    Some(reference).filter(isUsable).map(r => PartOfFile(file, r.getOffset, r.getLength.toLong))

  /**
   * The pages of several chunks of a row group that contain the rows. None if the pages of a chunk are not
   * known.
   */
  def pagesOf(rowGroup: Int, leaves: Seq[Int], rows: Seq[RowRange]): Option[Map[Int, SelectedPages]] = {
    load(leaves.filter(hasOffsetIndex(rowGroup, _)).flatMap(footer.chunk(rowGroup, _))
      .map(_.getOffsetIndexReference))
    val known = leaves.iterator.map(leaf => leaf -> locations(rowGroup, leaf)).takeWhile(_._2.nonEmpty)
    val found = known.collect { case (leaf, Some(pages)) => leaf -> pages.select(rows) }.toMap
    if (found.size == leaves.size) Some(found) else None
  }

  private[parquet] def locations(rowGroup: Int, leaf: Int): Option[PageLocations] =
    locations.getOrElseUpdate(
      (rowGroup, leaf),
      for {
        chunk <- footer.chunk(rowGroup, leaf)
        index <- read(chunk.getOffsetIndexReference)(Util.readOffsetIndex)
        pages <- orNone(PageLocations.of(index, chunk, footer.rowGroups(rowGroup).getRowCount))
      } yield pages
    )

  private[parquet] def columnIndex(rowGroup: Int, leaf: Int): Option[ColumnIndex] =
    columns.getOrElseUpdate(
      (rowGroup, leaf),
      footer.chunk(rowGroup, leaf).flatMap(c => read(c.getColumnIndexReference)(Util.readColumnIndex))
    )

  override def close(): Unit = sections.close()

  private def read[I](reference: IndexReference)(parse: InputStream => I): Option[I] =
    if (!isUsable(reference)) None
    else {
      load(Seq(reference))
      loaded.get(reference).flatMap(bytes =>
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
  private def load(references: Seq[IndexReference]): Unit = {
    val missing = references.filterNot(loaded.contains).sortBy(_.getOffset)
    val requests = missing.foldLeft(Vector.empty[Vector[IndexReference]]) {
      case (done :+ last, next) if isNear(last.last, next) => done :+ (last :+ next)
      case (done, next) => done :+ Vector(next)
    }
    requests.foreach { parts =>
      val from = parts.head.getOffset
      val size = end(parts.last) - from
      if (size > maxBytes - bytesRead) failed = true
      else orNone(Some(sections.bytes(from, size))).foreach { bytes =>
        parts.foreach { part =>
          val start = (part.getOffset - from).toInt
          loaded(part) = bytes.slice(start, start + part.getLength)
        }
      }
    }
  }

  private def isNear(before: IndexReference, next: IndexReference): Boolean =
    next.getOffset >= end(before) && next.getOffset - end(before) <= PageIndexReader.LargestGap

  private def end(reference: IndexReference): Long = reference.getOffset + reference.getLength

  private def isUsable(reference: IndexReference): Boolean =
    reference != null && reference.getOffset > 0 && reference.getLength > 0

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
  def of(index: OffsetIndex, chunk: ColumnChunkMetaData, rows: Long): Option[PageLocations] = {
    val pages = index.getPage_locations.asScala.toIndexedSeq
    val starts = pages.map(_.getFirst_row_index) :+ rows
    val ends = pages.map(page => page.getOffset + page.getCompressed_page_size)
    val isPlausible = pages.nonEmpty && starts.head == 0 && isAscending(starts) &&
      pages.head.getOffset >= chunk.getStartingPos &&
      pages.forall(_.getCompressed_page_size > 0) &&
      pages.tail.zip(ends).forall { case (page, before) => page.getOffset >= before } &&
      ends.last <= chunk.getStartingPos + chunk.getTotalSize
    if (isPlausible) Some(new PageLocations(
      starts.toArray,
      pages.map(_.getCompressed_page_size.toLong).toArray,
      pages.head.getOffset - chunk.getStartingPos
    ))
    else None
  }

  private def isAscending(rows: IndexedSeq[Long]): Boolean =
    rows.indices.drop(1).forall(i => rows(i - 1) < rows(i))
}
