package limitpruning.parquet

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.Type
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.types.StructField

import limitpruning.predicate.{ColumnFacts, SupportedTypes}

/**
 * How Spark will resolve and read columns of the relation.
 *
 * @param caseSensitive whether `c` and `C` are two columns
 * @param byFieldId columns are found by Parquet field ids instead of names: nothing is known about any
 * @param rebaseMode what the reader does with dates and timestamps of files that do not tell their calendar
 */
final case class ReadSettings(caseSensitive: Boolean, byFieldId: Boolean, rebaseMode: String)

/** Finds the relation's columns in one file and tells the facts about them; anything unusual is unknown. */
final class RowGroupFacts(footer: Footer, settings: ReadSettings) {
  import RowGroupFacts._

  private val schema = footer.file.getSchema
  private lazy val calendar = Calendar.of(footer.file, settings.rebaseMode)

  /**
   * Where the facts about a top-level column come from, to be asked once per file and column.
   *
   * @param field the column as the relation declares it
   * @return the facts by the ordinal of the row group
   */
  def of(field: StructField): Int => ColumnFacts =
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
  private def missing(field: StructField): Int => ColumnFacts =
    if (field.metadata.contains(ExistsDefault) || !SupportedTypes.contains(field.dataType)) unknown
    else _ => ColumnFacts.AllNull

  private def stored(field: StructField, column: Type): Int => ColumnFacts = {
    val leaf = schema.getPaths.asScala.indexWhere(_.sameElements(Array(column.getName)))
    val facts = new ChunkFacts(field.dataType, column.asPrimitiveType, calendar)
    rowGroup => footer.chunk(rowGroup, leaf, column.getName).fold(ColumnFacts.Unknown)(facts(_))
  }
}

private object RowGroupFacts {
  private val unknown: Int => ColumnFacts = _ => ColumnFacts.Unknown

  /** Spark's key for the default of a column that was added to a table that already had files. */
  private val ExistsDefault = "EXISTS_DEFAULT"
}
