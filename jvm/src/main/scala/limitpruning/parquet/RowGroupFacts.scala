package limitpruning.parquet

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.ExprId

import limitpruning.predicate.{LeafColumn, ColumnFacts, SupportedTypes}

/** The facts that the footer of one file tells about columns of the relation; anything unusual is unknown. Not thread-safe. */
final class RowGroupFacts(footer: Footer, settings: ReadSettings) {
  import ColumnLocation._
  import RowGroupFacts._

  private val locate = new LocateColumn(footer.schema, settings.caseSensitive)
  // Finding one takes time that grows with the schema, and each value that a filter is asked for needs it.
  private val located = mutable.Map.empty[(ExprId, Seq[String]), ColumnLocation]
  private[parquet] lazy val calendar = Calendar.of(footer.keyValues, settings.rebaseMode)
  private[parquet] lazy val quirks = new WriterQuirks(footer.createdBy)

  /** Where the column stands, or that nothing can be said of it. */
  private[parquet] def locationOf(column: LeafColumn): ColumnLocation =
    if (settings.byFieldId) Unclear else located.getOrElseUpdate(column.id, locate(column))

  /**
   * Where the facts about a column come from, to be asked once per file and column.
   *
   * @param column a column of the file as the relation declares it, or a field of a struct column
   * @return the facts by the ordinal of the row group
   */
  def of(column: LeafColumn): Int => ColumnFacts = locationOf(column) match {
    case Missing if SupportedTypes.contains(column.dataType) && !hasDefault(column) =>
      _ => ColumnFacts.AllNull
    case stored: Stored =>
      val facts = chunkFacts(column, stored)
      val believed = statements(stored)
      rowGroup => believed(rowGroup).fold(ColumnFacts.Unknown)(facts(_))
    case _ => _ => ColumnFacts.Unknown
  }

  /** How many rows of each row group are null, where that is known and the facts about its values are. */
  def nullCounts(column: LeafColumn): Int => Option[Long] = locationOf(column) match {
    case stored: Stored => statements(stored).andThen(_.flatMap(_.nullCount))
    case _ => _ => None
  }

  /** What turns statements about chunks of the column, or pages of them, into facts. */
  private[parquet] def chunkFacts(column: LeafColumn, stored: Stored): ChunkFacts =
    new ChunkFacts(column.dataType, stored.leafType, stored.isRequired, calendar)

  /** What the footer says of a column's chunks, by row group, as far as it is believed. */
  private[parquet] def statements(stored: Stored): Int => Option[ColumnChunk] = {
    val believed = quirks.believed(stored.leafType)
    rowGroup => footer.statement(rowGroup, stored.leaf, stored.path).map(believed)
  }
}

private object RowGroupFacts {

  /** Spark's key for the default of a column that was added to a table that already had files. */
  private val ExistsDefault = "EXISTS_DEFAULT"

  private def hasDefault(column: LeafColumn): Boolean = column.attribute.metadata.contains(ExistsDefault)
}
