package limitpruning.parquet

import scala.collection.mutable

import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.schema.{MessageType, PrimitiveType}
import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId}
import org.apache.spark.sql.types.{DoubleType, FloatType}

import limitpruning.predicate.{ColumnFacts, LeafColumn, Obstacle, SupportedTypes, Values}
import limitpruning.shims.ParquetShims

/**
 * The facts from the footer of one file about columns of the relation. Anything unusual is unknown. Not
 * thread-safe.
 *
 * @param isPartition whether the values of a column come from the directory. Even if the file also contains a column of
 *   this name, it says nothing about them.
 * @param locator finds columns in a schema; files with the same schema may share it
 */
final class RowGroupFacts(
    footer: Footer,
    settings: ReadSettings,
    isPartition: Attribute => Boolean,
    locator: MessageType => LocateColumn
) {
  import ColumnLocation._

  def this(footer: Footer, settings: ReadSettings, isPartition: Attribute => Boolean = _ => false) =
    this(footer, settings, isPartition, LocateColumn(_, settings))

  private val locate = locator(footer.schema)
  // Finding a location takes time that grows with the schema, and each lookup in a bloom filter needs it.
  private val located = mutable.Map.empty[(ExprId, Seq[String]), ColumnLocation]
  private[parquet] lazy val calendar =
    Calendar.of(footer.keyValues, settings.rebaseMode).copy(readsInt96AsStored = !settings.convertsInt96)
  private[parquet] def trust: TrustedClaims = footer.trust

  /** The location of the column, or that it is missing or unclear. */
  private[parquet] def locationOf(column: LeafColumn): ColumnLocation =
    located.getOrElseUpdate(
      column.id,
      if (settings.byFieldId || isPartition(column.attribute) || !isContained(column)) Unclear
      else
        locate(column) match {
          case stored: Stored if !ParquetShims.readsAs(stored.leafType, column.dataType) => Unclear
          case other => other
        }
    )

  /** Whether the footer was narrowed to this column, among others. If not, the column only seems to be missing. */
  private def isContained(column: LeafColumn): Boolean =
    settings.names.of(column.attribute.name +: column.path).exists(names =>
      footer.columns.contains(names.head)
    )

  /**
   * The facts about a column. To be called once per file and column.
   *
   * @param column a column of the file as the relation declares it, or a field of a struct column
   * @return the facts by the ordinal of the row group
   */
  def of(column: LeafColumn): Int => ColumnFacts = factsOf(column, trust.proved)

  /** As [[of]], if everything that the writer states were right. Of a writer that is not listed, it proves nothing. */
  def stated(column: LeafColumn): Int => ColumnFacts = factsOf(column, trust.claimed)

  private def factsOf(
      column: LeafColumn,
      believed: PrimitiveType => ColumnChunk => ColumnChunk
  ): Int => ColumnFacts = locationOf(column) match {
    case Missing if SupportedTypes.contains(column.dataType) =>
      val facts = missingFacts(column)
      _ => facts
    case stored: Stored =>
      val facts = chunkFacts(column, stored)
      val toBelieved = believed(stored.leafType)
      rowGroup => inFooter(stored, rowGroup).fold(ColumnFacts.Unknown)(chunk => facts(toBelieved(chunk)))
    case _ => _ => ColumnFacts.Unknown
  }

  /** Why nothing is proved by what the footer states about a column, if only because its writer is not listed. */
  def doubt(column: LeafColumn, rowGroup: Int): Option[Obstacle] = locationOf(column) match {
    case stored: Stored =>
      for {
        chunk <- inFooter(stored, rowGroup)
        claims = trust.unlisted(stored.leafType, chunk) if claims.nonEmpty
      } yield Obstacle.UnlistedWriter(claims.map(_.name).mkString(", "), column.name, trust.writerName)
    case _ => None
  }

  /** Whether everything counts that the file has beside the footer's statistics, such as page indexes. */
  def areAllPartsListed: Boolean = trust.areAllPartsListed

  /**
   * The same obstacle, with what the file has about a column beside the footer's statistics, if it is not used because the
   * writer is not listed for it.
   *
   * @param columns those of the predicate and of the keys
   */
  def withUnusedParts(obstacle: Obstacle, columns: Seq[LeafColumn], rowGroup: Int): Obstacle = {
    val unused = for {
      column <- columns.iterator
      stored <- Iterator(locationOf(column)).collect { case found: Stored => found }
      chunk <- footer.chunk(rowGroup, stored.leaf).iterator
      parts = trust.unlistedParts(chunk) if parts.nonEmpty
    } yield Obstacle.UnusedParts(obstacle, parts.map(_.name).mkString(", "), column.name, trust.writerName)
    unused.find(_ => true).getOrElse(obstacle)
  }

  /** Whether the writer is listed for what a footer states about a column. If not, [[stated]] may be more than [[of]]. */
  def isListed(column: LeafColumn): Boolean = locationOf(column) match {
    case stored: Stored => trust.isListed(stored.leafType)
    case _ => true
  }

  /**
   * Whether Spark's reader compares the statistics of a column with values: that of numbers in the Parquet type which Spark
   * writes. Source: `ParquetFilters` of Spark, which knows no other integers and widens none.
   */
  def isPushedDown(column: LeafColumn): Boolean = locationOf(column) match {
    case stored: Stored => PushedDown.contains(column.dataType, stored.leafType)
    case _ => false
  }

  /** The facts about a column that the file does not have: each row has its default, or null if there is none. */
  private def missingFacts(column: LeafColumn): ColumnFacts =
    if (!MissingColumn.hasDefault(column)) ColumnFacts.AllNull
    // A table format has defaults of its own.
    else if (settings.names != NamesInFiles.Same) ColumnFacts.Unknown
    else MissingColumn.default(column).fold(ColumnFacts.Unknown)(ColumnFacts.constant)

  /** The number of null rows in each row group, if it is known and the facts about its values are known. */
  def nullCounts(column: LeafColumn): Int => Option[Long] = locationOf(column) match {
    case stored: Stored => statements(stored).andThen(_.flatMap(_.nullCount))
    case _ => _ => None
  }

  /**
   * The least and the greatest value of a column in a row group, each of which at least one row has. To be called once per
   * file and column.
   *
   * @return by the ordinal of the row group; none if they are not known, or if the metadata may have other bounds
   */
  def ends(column: LeafColumn): Int => Option[Values.Range] = locationOf(column) match {
    case stored: Stored if trust.occur(stored.leafType) =>
      of(column).andThen(_.values match {
        case range: Values.Range => Some(range)
        case _ => None
      })
    case _ => _ => None
  }

  /** The max of a column's chunk as it is stored, if it counts. Of floats, some values may be NaN all the same. */
  def statedMax(column: LeafColumn, rowGroup: Int): Option[Any] = locationOf(column) match {
    case stored: Stored => statements(stored)(rowGroup).flatMap(_.minMax).map(_._2)
    case _ => None
  }

  /** The greatest value of a column of floats in a row group, if none of its values is NaN. None for other types, and if it does not count. */
  def maxIfNeverNaN(column: LeafColumn, rowGroup: Int): Option[Any] =
    statedMax(column, rowGroup).flatMap { max =>
      (column.dataType, max) match {
        case (FloatType, float: Float) if !float.isNaN => Some(float)
        case (DoubleType, double: Double) if !double.isNaN => Some(double)
        case (DoubleType, float: Float) if !float.isNaN => Some(float.toDouble)
        case _ => None
      }
    }

  /** Whether a dictionary would bound the values of a column in a row group if it had all of them. */
  def exceedsDictionary(column: LeafColumn, rowGroup: Int): Boolean =
    isOfDictionaryType(column, rowGroup)(ChunkReader.exceedsDictionary)

  /** Whether a column probably has too many values for a dictionary in a row group. This proves nothing. */
  def hasManyValues(column: LeafColumn, rowGroup: Int): Boolean =
    isOfDictionaryType(column, rowGroup)(footer.hasManyValues)

  private def isOfDictionaryType(column: LeafColumn, rowGroup: Int)(
      holds: ColumnChunkMetaData => Boolean
  ): Boolean = locationOf(column) match {
    case stored: Stored =>
      dictionaryValues(column, stored).isReadable && footer.chunk(rowGroup, stored.leaf).exists(holds)
    case _ => false
  }

  /** The mean size of a value of a column in a row group before compression, in bytes; none if it is not known. */
  def valueBytes(column: LeafColumn, rowGroup: Int): Option[Double] = locationOf(column) match {
    case stored: Stored =>
      footer.chunk(rowGroup, stored.leaf).filter(_.getValueCount > 0)
        .map(chunk => chunk.getTotalUncompressedSize.toDouble / chunk.getValueCount)
    case _ => None
  }

  private[parquet] def dictionaryValues(column: LeafColumn, stored: Stored): DictionaryValues =
    new DictionaryValues(column.dataType, stored.leafType, calendar)

  /** Whether min and max of an INT96 column, and of its pages, are in the order of time. */
  private[parquet] def isInOrderOfTime(stored: Stored): Boolean = footer.isInOrderOfTime(stored.leaf)

  /** Converts metadata of the column's chunks, or of their pages, to facts. */
  private[parquet] def chunkFacts(column: LeafColumn, stored: Stored): ChunkFacts =
    new ChunkFacts(column.dataType, stored.leafType, stored.isRequired, calendar)

  /** The trusted metadata of a column's chunks in the footer, by row group. */
  private[parquet] def statements(stored: Stored): Int => Option[ColumnChunk] = {
    val proved = trust.proved(stored.leafType)
    rowGroup => inFooter(stored, rowGroup).map(proved)
  }

  private def inFooter(stored: Stored, rowGroup: Int): Option[ColumnChunk] =
    footer.statement(rowGroup, stored.leaf, stored.path)
}
