package limitpruning.parquet

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.format.ColumnIndex
import org.apache.parquet.schema.ColumnOrder.ColumnOrderName
import org.apache.parquet.schema.PrimitiveType

import limitpruning.parquet.ColumnLocation.Stored
import limitpruning.predicate.{LeafColumn, ColumnFacts}

/**
 * What a column index says of each page of a column chunk, in the form in which a footer speaks of a chunk, so that the
 * same rules decide what is believed.
 */
private[parquet] object PageFacts {

  /**
   * @param chunk what the footer says of the whole chunk, as far as it is believed
   * @return a chunk for each page, or none where the index contradicts itself, the pages' locations, or the chunk
   */
  def of(
      index: ColumnIndex,
      pages: PageLocations,
      leafType: PrimitiveType,
      chunk: ColumnChunk
  ): Option[IndexedSeq[ColumnChunk]] = {
    val nullCounts = Option(index.getNull_counts).map(_.asScala.map(_.longValue).toIndexedSeq)
    val sizes = Seq(index.getNull_pages.size, index.getMin_values.size, index.getMax_values.size) ++
      nullCounts.map(_.size)
    val isNullSum = nullCounts.forall(counts => chunk.nullCount.forall(_ == counts.sum))
    // Without a defined order of the column the bounds are in an order that nobody knows.
    val isOrdered = leafType.columnOrder().getColumnOrderName == ColumnOrderName.TYPE_DEFINED_ORDER
    if (sizes.exists(_ != pages.size) || !isNullSum || !isOrdered) None
    else {
      // Null counts of pages are believed where they add up to one that is believed.
      val believed = nullCounts.filter(_ => chunk.nullCount.nonEmpty)
      val all = (0 until pages.size).map { page =>
        pageOf(
          index.getNull_pages.get(page),
          index.getMin_values.get(page),
          index.getMax_values.get(page),
          believed.map(_(page)),
          pages.rows(page),
          leafType
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
      leafType: PrimitiveType
  ): Option[ColumnChunk] = {
    val contradicts = nullCount.exists(count => count < 0 || count > rows || (count == rows) != isNull)
    if (contradicts) None
    else if (isNull) Some(ColumnChunk(rows, rows, nullCount, None, mayBeCut = false))
    else {
      val (low, high) = (bytes(min), bytes(max))
      Some(ColumnChunk(rows, rows, nullCount, bounds(low, high, leafType), isLong(low) || isLong(high)))
    }
  }

  /** As parquet-java reads statistics: without NaN, and with both zeros where there is one. */
  private def bounds(min: Array[Byte], max: Array[Byte], leafType: PrimitiveType): Option[(Any, Any)] =
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

/** The pages of one column chunk, with the facts about each. */
final class ColumnPages private[parquet] (locations: PageLocations, facts: IndexedSeq[ColumnFacts]) {

  /** The first row of each page. */
  def starts: IndexedSeq[Long] = facts.indices.map(locations.first)

  /** The facts about the page that holds a row of the row group. */
  def at(row: Long): ColumnFacts = facts(locations.pageOf(row))
}

object ColumnPages {

  /** Whether the footer tells of an index of the column's pages; reads nothing. */
  def exist(facts: RowGroupFacts, indexes: PageIndexReader, column: LeafColumn, rowGroup: Int): Boolean =
    facts.locationOf(column) match {
      case stored: Stored => indexes.hasColumnIndex(rowGroup, stored.leaf)
      case _ => false
    }

  /** None where there is no index of the column's pages, or it is not believed. */
  def of(
      facts: RowGroupFacts,
      indexes: PageIndexReader,
      column: LeafColumn,
      rowGroup: Int
  ): Option[ColumnPages] = facts.locationOf(column) match {
    case stored: Stored if indexes.hasColumnIndex(rowGroup, stored.leaf) =>
      val believed = facts.quirks.believed(stored.leafType)
      val toFacts = facts.chunkFacts(column, stored)
      for {
        locations <- indexes.locations(rowGroup, stored.leaf)
        index <- indexes.columnIndex(rowGroup, stored.leaf)
        chunk <- facts.statements(stored)(rowGroup)
        pages <- PageFacts.of(index, locations, stored.leafType, chunk)
      } yield new ColumnPages(locations, pages.map(page => toFacts(believed(page))))
    case _ => None
  }
}
