package limitpruning.parquet

import java.util.{HashMap, IdentityHashMap}

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType, Type}
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.{StructField, StructType}

import limitpruning.predicate.LeafColumn

/**
 * The top-level columns that a footer must contain. Names are not case-sensitive. Of a column that is only read, it
 * contains no more than the places of its chunks.
 */
sealed trait FileColumns extends Serializable {

  /** Whether everything is needed that the footer says about a column. */
  def contains(name: String): Boolean

  /** Whether the places of the chunks of a column are needed. They are needed for all columns that this `contains`. */
  def locates(name: String): Boolean

  /** Whether these include all columns of `other`. */
  def covers(other: FileColumns): Boolean
  def ++(other: FileColumns): FileColumns
}

object FileColumns {

  /** Every column. This is needed if columns are not found by their names. */
  case object All extends FileColumns {
    override def contains(name: String): Boolean = true
    override def locates(name: String): Boolean = true
    override def covers(other: FileColumns): Boolean = true
    override def ++(other: FileColumns): FileColumns = this
  }

  /**
   * @param contained keys of names
   * @param located these, and the keys of the names of the columns that are only read
   */
  private final case class Named(contained: Set[String], located: Set[String]) extends FileColumns {
    override def contains(name: String): Boolean = contained(key(name))

    override def locates(name: String): Boolean = located(key(name))

    override def covers(other: FileColumns): Boolean = other match {
      case Named(names, places) => names.subsetOf(contained) && places.subsetOf(located)
      case All => false
    }

    override def ++(other: FileColumns): FileColumns = other match {
      case Named(names, places) => Named(contained ++ names, located ++ places)
      case All => All
    }
  }

  /**
   * @param names the columns of which everything is needed
   * @param read the columns that are read
   */
  def named(names: Iterable[String], read: Iterable[String] = Nil): FileColumns = {
    val contained = names.map(key).toSet
    Named(contained, contained ++ read.map(key))
  }

  private def key(name: String): String = ColumnNames.key(name, caseSensitive = false)
}

/** The location of a column of the relation in one file. */
private[parquet] sealed trait ColumnLocation

private[parquet] object ColumnLocation {

  /** The file does not contain it. It reads as null, or as the default with which it was added. */
  case object Missing extends ColumnLocation

  /** It is not a plain value per row, or its name is ambiguous. Nothing is known about it. */
  case object Unclear extends ColumnLocation

  /**
   * @param leaf its position among the leaves of the schema, which is the position of its chunk in each row
   *   group
   * @param isRequired neither the column nor a struct around it can be null
   */
  final case class Stored(path: ColumnPath, leaf: Int, leafType: PrimitiveType, isRequired: Boolean)
      extends ColumnLocation
}

/** Finds columns by name, as Spark's reader does. Not thread-safe. */
private[limitpruning] final class LocateColumn private[parquet] (
    schema: MessageType,
    caseSensitive: Boolean,
    names: NamesInFiles = NamesInFiles.Same
) {
  import ColumnLocation._
  import ParquetFileFormat.{ROW_INDEX_TEMPORARY_COLUMN_NAME => RowIndex}

  private[parquet] def apply(column: LeafColumn): ColumnLocation =
    located.computeIfAbsent(column.attribute.name +: column.path, locate(_))

  // Each file of a table asks for the same columns.
  private val located = new HashMap[Seq[String], ColumnLocation]

  private def locate(path: Seq[String]): ColumnLocation =
    // Spark's reader puts row numbers into this column, even if the file has a column with this name.
    if (ColumnNames.areSame(path.head, RowIndex, caseSensitive = false)) Unclear
    else names.of(path).fold[ColumnLocation](Unclear)(find(schema, _, Nil))

  // By the names as they are compared: a schema may have thousands of columns.
  private val fieldsByName = new IdentityHashMap[GroupType, Map[String, Seq[Type]]]
  private lazy val leaves: Map[Seq[String], Int] =
    schema.getPaths.asScala.map(_.toSeq).zipWithIndex.reverseIterator.toMap

  private def find(group: GroupType, names: Seq[String], above: Seq[String]): ColumnLocation =
    named(group, names.head) match {
      case Seq() => Missing
      case Seq(field) if field.isRepetition(Repetition.REPEATED) => Unclear
      case Seq(field) if field.isPrimitive && names.size == 1 =>
        stored(above :+ field.getName, field.asPrimitiveType)
      case Seq(field) if !field.isPrimitive && names.size > 1 =>
        find(field.asGroupType, names.tail, above :+ field.getName)
      case _ => Unclear // another shape than declared, or an ambiguous name
    }

  private def named(group: GroupType, name: String): Seq[Type] = fieldsByName
    .computeIfAbsent(group, _.getFields.asScala.toSeq.groupBy(field => compared(field.getName)))
    .getOrElse(compared(name), Nil)

  private def compared(name: String): String = ColumnNames.key(name, caseSensitive)

  private def stored(path: Seq[String], leafType: PrimitiveType): Stored = Stored(
    ColumnPath.get(path: _*),
    leaf = leaves.getOrElse(path, -1),
    leafType,
    // A required field of a struct that may be null is null if the struct is null.
    isRequired =
      path.indices.forall(i => schema.getType(path.take(i + 1): _*).isRepetition(Repetition.REQUIRED))
  )
}

private[limitpruning] object LocateColumn {
  def apply(schema: MessageType, settings: ReadSettings): LocateColumn =
    new LocateColumn(schema, settings.caseSensitive, settings.names)
}

/**
 * The names that the columns of a table have in its files. A table format may rename a column without writing its files
 * again.
 */
sealed trait NamesInFiles extends Serializable {

  /**
   * @param path the name of a column of the table, followed by the names of fields of structs
   * @return the names in the file; none if they are not known, so nothing in the file says anything about the column
   */
  def of(path: Seq[String]): Option[Seq[String]]

  /** The names in the file of top-level columns; none if one of them is not known. */
  final def ofAll(columns: Seq[String]): Option[Seq[String]] = {
    val names = columns.map(column => of(Seq(column)))
    if (names.forall(_.nonEmpty)) Some(names.flatten.map(_.head)) else None
  }

  /** A schema of the table with the names in files. Columns whose names are not known keep theirs. */
  final def in(schema: StructType): StructType = in(schema, Nil)

  private def in(struct: StructType, parents: Seq[String]): StructType = StructType(struct.map { field =>
    val path = parents :+ field.name
    val dataType = field.dataType match {
      case nested: StructType => in(nested, path)
      case other => other
    }
    StructField(of(path).fold(field.name)(_.last), dataType, field.nullable)
  })
}

object NamesInFiles {

  /** The names of the table. */
  case object Same extends NamesInFiles {
    override def of(path: Seq[String]): Option[Seq[String]] = Some(path)
  }

  /** Columns are not found by names. */
  case object Unknown extends NamesInFiles {
    override def of(path: Seq[String]): Option[Seq[String]] = None
  }

  /** @param names the names in files, by the names in the table */
  final case class Renamed(names: Map[Seq[String], Seq[String]]) extends NamesInFiles {
    override def of(path: Seq[String]): Option[Seq[String]] = names.get(path)

    /** Short, because a table may have thousands of columns. */
    override def toString: String = s"Renamed(${names.size} names, ${names.hashCode})"
  }
}
