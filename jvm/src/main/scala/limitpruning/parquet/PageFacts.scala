package limitpruning.parquet

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.format.ColumnIndex
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.ColumnOrder.ColumnOrderName
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT96

import limitpruning.parquet.ColumnLocation.Stored
import limitpruning.predicate.{ColumnFacts, LeafColumn}

/**
 * Converts the column index of a column chunk to the form that a footer has for a chunk. The same rules then
 * decide which metadata of a page are trusted.
 */
private[parquet] object PageFacts {

  /**
   * @param chunk the trusted metadata of the whole chunk in the footer
   * @param isInOrderOfTime whether the footer states that min and max of INT96 are in the order of time
   * @return a chunk for each page; none if the index contradicts itself, the pages' locations, or the chunk
   */
  def of(
      index: ColumnIndex,
      pages: PageLocations,
      leafType: PrimitiveType,
      chunk: ColumnChunk,
      isInOrderOfTime: Boolean = false
  ): Option[IndexedSeq[ColumnChunk]] = {
    val nullCounts = Option(index.getNull_counts).map(_.asScala.map(_.longValue).toIndexedSeq)
    val sizes = Seq(index.getNull_pages.size, index.getMin_values.size, index.getMax_values.size) ++
      nullCounts.map(_.size)
    val isNullSum = nullCounts.forall(counts => chunk.nullCount.forall(_ == counts.sum))
    // If the column has no defined order, the order of min and max is not known.
    val isOrdered =
      if (leafType.getPrimitiveTypeName == INT96) isInOrderOfTime
      else leafType.columnOrder().getColumnOrderName == ColumnOrderName.TYPE_DEFINED_ORDER
    if (sizes.exists(_ != pages.size) || !isNullSum || !isOrdered) None
    else {
      // Null counts of pages are trusted only if their sum equals a trusted null count of the chunk.
      val believed = nullCounts.filter(_ => chunk.nullCount.nonEmpty)
      val all = (0 until pages.size).map { page =>
        pageOf(
          index.getNull_pages.get(page),
          index.getMin_values.get(page),
          index.getMax_values.get(page),
          believed.map(_(page)),
          pages.rows(page),
          leafType,
          chunk
        )
      }
      if (all.forall(_.nonEmpty)) Some(all.flatten) else None
    }
  }

  private def pageOf(
      isNull: Boolean,
      min: ByteBuffer,
      max: ByteBuffer,
      nullCount: Option[Long],
      rows: Long,
      leafType: PrimitiveType,
      chunk: ColumnChunk
  ): Option[ColumnChunk] = {
    val contradicts = nullCount.exists(count => count < 0 || count > rows || (count == rows) != isNull)
    if (contradicts) None
    else if (isNull) Some(ColumnChunk(rows, rows, nullCount, None, mayBeCut = false))
    else {
      val (low, high) = (bytes(min), bytes(max))
      val isMissing = low.isEmpty && high.isEmpty && !hasEmptyMin(chunk)
      val ends = if (isMissing) None else minMax(low, high, leafType)
      Some(ColumnChunk(rows, rows, nullCount, ends, isLong(low) || isLong(high)))
    }
  }

  /**
   * Whether the footer states that the chunk has an empty value. If not, a page whose min and max are both empty has none:
   * some writers leave out bounds that are too long, and the index has no other mark for this.
   */
  private def hasEmptyMin(chunk: ColumnChunk): Boolean = chunk.minMax.exists {
    case (min: Binary, _) => min.length == 0
    case _ => false
  }

  /** Min and max as parquet-java reads statistics: without NaN, and with both zeros if one is a limit. */
  private def minMax(min: Array[Byte], max: Array[Byte], leafType: PrimitiveType): Option[(Any, Any)] =
    Try(Statistics.getBuilderForReading(leafType).withMin(min).withMax(max).build()).toOption
      .filter(_.hasNonNullValue)
      .map(statistics => (statistics.genericGetMin, statistics.genericGetMax))

  private def isLong(bound: Array[Byte]): Boolean = bound.length >= ColumnChunk.CutLength

  private def bytes(buffer: ByteBuffer): Array[Byte] = {
    val copy = new Array[Byte](buffer.remaining)
    buffer.duplicate().get(copy)
    copy
  }
}

/** The pages of one column chunk, with the facts about each page. */
final class ColumnPages private[parquet] (locations: PageLocations, facts: IndexedSeq[ColumnFacts]) {

  /** The first row of each page. */
  def starts: IndexedSeq[Long] = facts.indices.map(locations.first)

  /** The facts about the page that contains a row of the row group. */
  def at(row: Long): ColumnFacts = facts(locations.pageOf(row))
}

object ColumnPages {

  /** Whether the footer contains the location of an index of the column's pages. No I/O. */
  def exist(facts: RowGroupFacts, indexes: PageIndexReader, column: LeafColumn, rowGroup: Int): Boolean =
    facts.locationOf(column) match {
      case stored: Stored => facts.trust.provesByPages && indexes.hasColumnIndex(rowGroup, stored.leaf)
      case _ => false
    }

  /** The parts of the file that contain a column's page statistics. No I/O. */
  def parts(
      facts: RowGroupFacts,
      indexes: PageIndexReader,
      column: LeafColumn,
      rowGroup: Int
  ): Seq[PartOfFile] = facts.locationOf(column) match {
    case stored: Stored => indexes.pageParts(rowGroup, stored.leaf)
    case _ => Nil
  }

  /** None if the column's pages have no index, or if it is not trusted. */
  def of(
      facts: RowGroupFacts,
      indexes: PageIndexReader,
      column: LeafColumn,
      rowGroup: Int
  ): Option[ColumnPages] = facts.locationOf(column) match {
    case stored: Stored if facts.trust.provesByPages && indexes.hasColumnIndex(rowGroup, stored.leaf) =>
      val proved = facts.trust.proved(stored.leafType)
      val toFacts = facts.chunkFacts(column, stored)
      for {
        locations <- indexes.locations(rowGroup, stored.leaf)
        index <- indexes.columnIndex(rowGroup, stored.leaf)
        chunk <- facts.statements(stored)(rowGroup)
        pages <- PageFacts.of(index, locations, stored.leafType, chunk, facts.isInOrderOfTime(stored))
      } yield new ColumnPages(locations, pages.map(page => toFacts(proved(page))))
    case _ => None
  }
}
