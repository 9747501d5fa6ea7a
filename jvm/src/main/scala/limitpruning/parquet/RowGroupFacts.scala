package limitpruning.parquet

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, PrimitiveType}
import org.apache.parquet.schema.Type.Repetition

import limitpruning.predicate.{Column, ColumnFacts, SupportedTypes}

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
   * Where the facts about a column come from, to be asked once per file and column.
   *
   * @param column a column of the file as the relation declares it, or a field of a struct column
   * @return the facts by the ordinal of the row group
   */
  def of(column: Column): Int => ColumnFacts =
    if (settings.byFieldId) unknown else find(schema, column.attribute.name +: column.path, Nil, column)

  /** Goes down by name; where a name is not there, the column reads as null, or as the default it was added with. */
  private def find(
      group: GroupType,
      names: Seq[String],
      above: Seq[String],
      column: Column
  ): Int => ColumnFacts =
    group.getFields.asScala.filter(f => sameName(f.getName, names.head)).toSeq match {
      case Seq() if SupportedTypes.contains(column.dataType) && !hasDefault(column) =>
        _ => ColumnFacts.AllNull
      case Seq(field) if field.isRepetition(Repetition.REPEATED) => unknown
      case Seq(field) if field.isPrimitive && names.size == 1 =>
        stored(above :+ field.getName, field.asPrimitiveType, column)
      case Seq(field) if !field.isPrimitive && names.size > 1 =>
        find(field.asGroupType, names.tail, above :+ field.getName, column)
      case _ => unknown // another shape than declared, or a name that is ambiguous
    }

  private def sameName(a: String, b: String): Boolean =
    if (settings.caseSensitive) a == b else a.toLowerCase(Locale.ROOT) == b.toLowerCase(Locale.ROOT)

  private def stored(path: Seq[String], leafType: PrimitiveType, column: Column): Int => ColumnFacts = {
    val leaf = schema.getPaths.asScala.indexWhere(_.sameElements(path))
    // A required field of a struct that may be null is null with it.
    val isRequired =
      path.indices.forall(i => schema.getType(path.take(i + 1): _*).isRepetition(Repetition.REQUIRED))
    val facts = new ChunkFacts(column.dataType, leafType, isRequired, calendar)
    rowGroup => footer.chunk(rowGroup, leaf, path).fold(ColumnFacts.Unknown)(facts(_))
  }
}

private object RowGroupFacts {
  private val unknown: Int => ColumnFacts = _ => ColumnFacts.Unknown

  /** Spark's key for the default of a column that was added to a table that already had files. */
  private val ExistsDefault = "EXISTS_DEFAULT"

  private def hasDefault(column: Column): Boolean = column.attribute.metadata.contains(ExistsDefault)
}
