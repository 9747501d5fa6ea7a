package limitpruning.parquet

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.schema.Type
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.types.{DataType, DecimalType, StructField}

import limitpruning.predicate.{ColumnFacts, Nulls, SupportedTypes, Values}

/**
 * How Spark will resolve and read columns of the relation.
 *
 * @param caseSensitive whether `c` and `C` are two columns
 * @param byFieldId columns are found by Parquet field ids instead of names: nothing is known about any
 * @param rebaseMode what the reader does with dates and timestamps of files that do not tell their calendar
 */
final case class ReadSettings(caseSensitive: Boolean, byFieldId: Boolean, rebaseMode: String)

/** Turns the column chunk statistics of one file into facts; anything unusual is unknown. Thread-safe. */
final class RowGroupFacts(footer: Footer, settings: ReadSettings) {
  import RowGroupFacts._

  private val schema = footer.file.getSchema
  private lazy val calendar = Calendar.of(footer.file, settings.rebaseMode)

  /**
   * Where the facts about a top-level column come from, to be asked once per file and column.
   *
   * @param field the column as the relation declares it
   * @return the facts of each row group
   */
  def of(field: StructField): BlockMetaData => ColumnFacts =
    if (settings.byFieldId) unknown
    else
      schema.getFields.asScala.filter(f => sameName(f.getName, field.name)).toSeq match {
        case Seq() => missing(field)
        case Seq(column) if column.isPrimitive && !column.isRepetition(Repetition.REPEATED) =>
          stored(field, column)
        case _ => unknown // a group, an array, or a name that is ambiguous
      }

  private def sameName(a: String, b: String): Boolean =
    if (settings.caseSensitive) a == b else a.toLowerCase(Locale.ROOT) == b.toLowerCase(Locale.ROOT)

  /** A column that the file does not have reads as null, or as the default it was added with. */
  private def missing(field: StructField): BlockMetaData => ColumnFacts =
    if (field.metadata.contains(ExistsDefault) || !SupportedTypes.contains(field.dataType)) unknown
    else _ => ColumnFacts.AllNull

  private def stored(field: StructField, column: Type): BlockMetaData => ColumnFacts = {
    val toRange = TrustedTypes.rangeOf(field.dataType, column.asPrimitiveType, calendar)
    lazy val ordering = SupportedTypes.ordering(field.dataType)
    val toSaneRange = toRange.map { convert => (min: Any, max: Any) =>
      convert(min, max).filter(range => ordering.lteq(range.min, range.max))
    }
    val isRequired = column.isRepetition(Repetition.REQUIRED)
    val position = schema.getPaths.asScala.indexWhere(_.sameElements(Array(column.getName)))
    rowGroup =>
      chunkAt(rowGroup, position, column.getName) match {
        case Some(chunk) if chunk.getValueCount == rowGroup.getRowCount =>
          val known = facts(Option(chunk.getStatistics), rowGroup.getRowCount, isRequired, toSaneRange)
          if (mayReadAsNull(field.dataType, known)) known.copy(nulls = Nulls.Unknown) else known
        case _ => ColumnFacts.Unknown
      }
  }

  private def facts(
      statistics: Option[Statistics[_]],
      rows: Long,
      isRequired: Boolean,
      toRange: Option[TrustedTypes.ToRange]
  ): ColumnFacts = {
    val bounds = statistics.filter(_.hasNonNullValue)
    val range = for {
      s <- bounds
      convert <- toRange
      found <- convert(s.genericGetMin, s.genericGetMax)
    } yield found
    val nullCount = statistics.filter(_.isNumNullsSet).map(_.getNumNulls)
    (nullCount, range) match {
      // Facts that contradict each other, or the format, are no facts.
      case (Some(n), _) if n < 0 || n > rows || (n == rows && bounds.nonEmpty) || (n > 0 && isRequired) =>
        ColumnFacts.Unknown
      case (Some(n), _) if n == rows => ColumnFacts.AllNull
      case (Some(0), _) => ColumnFacts(range.getOrElse(Values.Unknown), Nulls.No)
      case _ => ColumnFacts(range.getOrElse(Values.Unknown), if (isRequired) Nulls.No else Nulls.Unknown)
    }
  }
}

private object RowGroupFacts {

  /** Spark reads a decimal that does not fit its precision as null, so only a known range excludes nulls. */
  private def mayReadAsNull(dataType: DataType, known: ColumnFacts): Boolean =
    dataType.isInstanceOf[DecimalType] && known.values == Values.Unknown

  private val unknown: BlockMetaData => ColumnFacts = _ => ColumnFacts.Unknown

  /** Spark's key for the default of a column that was added to a table that already had files. */
  private val ExistsDefault = "EXISTS_DEFAULT"

  /** Column chunks stand in the order of the schema's leaves; where they do not, the chunk is not found. */
  private def chunkAt(rowGroup: BlockMetaData, position: Int, name: String): Option[ColumnChunkMetaData] = {
    val columns = rowGroup.getColumns
    if (position < 0 || position >= columns.size) None
    else Some(columns.get(position)).filter(chunk =>
      chunk.getPath.size == 1 && chunk.getPath.toArray.head == name
    )
  }
}
