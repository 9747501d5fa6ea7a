package limitpruning.parquet

import limitpruning.parquet.ColumnLocation.Stored
import limitpruning.predicate.{Column, ColumnFacts}

/** The pages of one column chunk, with the facts about each. */
final class ColumnPages private[parquet] (locations: PageLocations, facts: IndexedSeq[ColumnFacts]) {

  /** The first row of each page. */
  def starts: IndexedSeq[Long] = facts.indices.map(locations.first)

  /** The facts about the page that holds a row of the row group. */
  def at(row: Long): ColumnFacts = facts(locations.pageOf(row))
}

object ColumnPages {

  /** Whether the footer tells of an index of the column's pages; reads nothing. */
  def exist(facts: RowGroupFacts, indexes: PageIndexReader, column: Column, rowGroup: Int): Boolean =
    facts.locationOf(column) match {
      case stored: Stored => indexes.hasColumnIndex(rowGroup, stored.leaf)
      case _ => false
    }

  /** None where there is no index of the column's pages, or it is not believed. */
  def of(
      facts: RowGroupFacts,
      indexes: PageIndexReader,
      column: Column,
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
