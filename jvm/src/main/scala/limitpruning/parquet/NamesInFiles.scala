package limitpruning.parquet

import org.apache.spark.sql.types.{StructField, StructType}

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
