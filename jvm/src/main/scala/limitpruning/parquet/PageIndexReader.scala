package limitpruning.parquet

import java.io.{ByteArrayInputStream, Closeable, InputStream}

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.format.{ColumnIndex, Util}
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
   * The pages of several chunks of a row group that are read for the rows, by the paths of the chunks. Chunks that are not
   * skippable are read in whole pages, and the others in the rows of these pages. None if the pages of a chunk are not
   * known.
   */
  def pagesOf(
      rowGroup: Int,
      chunks: Seq[ChunkPlace],
      rows: Seq[RowRange]
  ): Option[Map[Seq[String], SelectedPages]] = {
    load(chunks.flatMap(_.offsetIndex))
    val known = chunks.iterator.map(c => c -> locations(rowGroup, c)).takeWhile(_._2.nonEmpty)
    val found = known.collect { case (chunk, Some(pages)) => chunk -> pages }.toVector
    if (found.size < chunks.size) None
    else {
      val read = WholePages.of(rows, found.collect { case (chunk, pages) if !chunk.isSkippable => pages })
      Some(found.map { case (chunk, pages) =>
        chunk.path -> pages.select(read).copy(areWhole = !chunk.isSkippable)
      }.toMap)
    }
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
