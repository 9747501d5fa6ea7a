package limitpruning.parquet

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.OffsetIndex
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

import limitpruning.select.{RowRange, SelectedPages}

/**
 * Which rows each data page of a column chunk holds, and how many bytes it takes.
 *
 * @param starts the first row of each page, ascending from 0, and at the end the rows of the row group
 * @param sizes compressed bytes of each page with its header
 * @param dictionaryBytes what stands in the chunk before its first data page
 */
private[parquet] final class PageLocations(starts: Array[Long], sizes: Array[Long], dictionaryBytes: Long) {
  def size: Int = sizes.length
  def first(page: Int): Long = starts(page)
  def end(page: Int): Long = starts(page + 1)
  def rows(page: Int): Long = end(page) - first(page)

  /** The page that holds a row of the row group. */
  def pageOf(row: Long): Int = {
    val found = java.util.Arrays.binarySearch(starts, row)
    if (found >= 0) found else -found - 2
  }

  /** What reading the ranges costs. */
  def select(ranges: Seq[RowRange]): SelectedPages = {
    val selected = new java.util.BitSet(size)
    ranges.foreach(range => selected.set(pageOf(range.from), pageOf(range.until - 1) + 1))
    val bytes = selected.stream.asLongStream.map(page => sizes(page.toInt)).sum
    SelectedPages(dictionaryBytes + bytes, selected.cardinality, size)
  }
}

private[parquet] object PageLocations {

  /** None where the index contradicts itself, the chunk, or the row group of `rows` rows. */
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
