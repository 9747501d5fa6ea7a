package limitpruning.parquet

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.OffsetIndex
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.filter2.columnindex.ColumnIndexStore

import limitpruning.select.{RowRange, SelectedPages}

/**
 * The rows and the bytes of each data page of a column chunk.
 *
 * @param starts the first row of each page, ascending from 0, followed by the number of rows of the row group
 * @param sizes compressed bytes of each page with its header
 * @param dictionaryBytes bytes of the chunk before its first data page
 */
private[limitpruning] final class PageLocations(
    starts: Array[Long],
    sizes: Array[Long],
    dictionaryBytes: Long
) {
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

/** Extends row ranges to the boundaries of pages, for columns whose pages cannot be read in part. */
private[limitpruning] object WholePages {

  /**
   * The smallest ranges that contain `ranges` and skip no value inside a page. The last range keeps its end: nothing is
   * read behind it, so nothing is skipped there.
   *
   * @param ranges ascending and not adjacent
   * @param columns the pages of the columns whose pages cannot be read in part
   */
  def of(ranges: Seq[RowRange], columns: Seq[PageLocations]): Seq[RowRange] =
    if (columns.isEmpty || ranges.isEmpty) ranges
    else {
      val whole = ranges.map(range => RowRange(start(range.from, columns), end(range.until, columns)))
      val merged = whole.foldLeft(Vector.empty[RowRange]) {
        case (done :+ last, next) if next.from <= last.until =>
          done :+ RowRange(last.from, last.until.max(next.until))
        case (done, next) => done :+ next
      }
      merged.init :+ merged.last.copy(until = ranges.last.until)
    }

  /** The last row, not after `row`, with which a page begins in all columns. */
  private def start(row: Long, columns: Seq[PageLocations]): Long = {
    val earlier = columns.iterator.map(pages => pages.first(pages.pageOf(row))).min
    if (earlier == row) row else start(earlier, columns)
  }

  /** The first row, not before `row`, before which a page ends in all columns. */
  private def end(row: Long, columns: Seq[PageLocations]): Long = {
    val later = columns.iterator.map(pages => pages.end(pages.pageOf(row - 1))).max
    if (later == row) row else end(later, columns)
  }
}

private[limitpruning] object PageLocations {

  /**
   * Whether the rows and places of pages are those that the offset index of a file states. If not, only whole row groups
   * are read: a page that is skipped cannot be compared with the index.
   *
   * @param createdBy of the file's footer, null if there is none
   */
  def areTrusted(createdBy: String): Boolean = new TrustedClaims(createdBy).provesByPages

  /**
   * None if the index contradicts itself, the chunk, or the number of rows of the row group, or if its pages are not
   * contiguous up to the end of the chunk. Some writers leave out the sizes of page headers.
   */
  private[parquet] def of(index: OffsetIndex, chunk: ChunkPlace, rows: Long): Option[PageLocations] =
    of(
      index.getPage_locations.asScala.toIndexedSeq
        .map(page => Page(page.getFirst_row_index, page.getOffset, page.getCompressed_page_size)),
      chunk,
      rows
    )

  /**
   * The same, by the page index of a row group of an open file.
   *
   * @throws MissingOffsetIndexException if the chunk has no offset index
   */
  def of(index: ColumnIndexStore, chunk: ColumnChunkMetaData, rows: Long): Option[PageLocations] = {
    val pages = index.getOffsetIndex(chunk.getPath)
    of(
      (0 until pages.getPageCount).map { page =>
        Page(pages.getFirstRowIndex(page), pages.getOffset(page), pages.getCompressedPageSize(page))
      },
      ChunkPlace.of(chunk),
      rows
    )
  }

  private def of(pages: IndexedSeq[Page], chunk: ChunkPlace, rows: Long): Option[PageLocations] = {
    val starts = pages.map(_.firstRow) :+ rows
    val isPlausible = pages.nonEmpty && starts.head == 0 && isAscending(starts) &&
      pages.head.offset >= chunk.start &&
      pages.forall(_.size > 0) &&
      pages.tail.zip(pages).forall { case (page, before) => page.offset == before.end } &&
      pages.last.end == chunk.start + chunk.length
    if (isPlausible) Some(new PageLocations(
      starts.toArray,
      pages.map(_.size.toLong).toArray,
      pages.head.offset - chunk.start
    ))
    else None
  }

  /** @param size compressed bytes with the header */
  private final case class Page(firstRow: Long, offset: Long, size: Int) {
    def end: Long = offset + size
  }

  /** Also whether no page has more rows than parquet-java can count. */
  private def isAscending(rows: IndexedSeq[Long]): Boolean =
    rows.indices.drop(1).forall(i => rows(i - 1) < rows(i) && rows(i) - rows(i - 1) <= Int.MaxValue)
}
