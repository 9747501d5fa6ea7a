package limitpruning.parquet

import java.util.concurrent.ConcurrentHashMap

import scala.annotation.tailrec
import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, Metadata, StructField, StructType, TimestampType}

import limitpruning.predicate.LeafColumn

/** What Spark's reader returns for a column that was added to a table, in files that are older than the column. */
private[parquet] object MissingColumn {

  /** Spark's key for the default of a column that was added to a table with existing files. */
  private val ExistsDefault = "EXISTS_DEFAULT"

  private val MostCached = 1000
  // A cast in a default may depend on the time zone.
  private val cached = new ConcurrentHashMap[(DataType, String, String), Option[Any]]

  /** Whether the column, or a struct around it, has a default. */
  def hasDefault(column: LeafColumn): Boolean =
    column.attribute.metadata.contains(ExistsDefault) || hasDefault(column.attribute.dataType, column.path)

  @tailrec
  private def hasDefault(parent: DataType, path: Seq[String]): Boolean = (parent, path) match {
    case (struct: StructType, name +: rest) =>
      struct.fields.find(_.name == name) match {
        case None => false
        case Some(field) => field.metadata.contains(ExistsDefault) || hasDefault(field.dataType, rest)
      }
    case _ => false
  }

  /** The value that every row has, which may be null; none if it is not certain. Thread-safe. */
  def default(column: LeafColumn): Option[Any] =
    if (column.path.nonEmpty) None // Spark's two readers differ
    else if (column.dataType == TimestampType)
      None // Spark evaluates it in the time zone of each query that reads it
    else {
      val metadata = column.attribute.metadata
      Try(metadata.getString(ExistsDefault)).toOption.flatMap { sql =>
        if (cached.size >= MostCached) cached.clear()
        val zone = SQLConf.get.sessionLocalTimeZone
        cached.computeIfAbsent((column.dataType, sql, zone), _ => evaluated(column.dataType, metadata))
      }
    }

  /** As Spark's reader evaluates it. */
  private def evaluated(dataType: DataType, metadata: Metadata): Option[Any] = Try {
    val field = StructField("c", dataType, nullable = true, metadata)
    val value = ResolveDefaultColumns.existenceDefaultValues(StructType(Array(field))).head
    Literal(value, dataType).value // fails if the value is of another type
  }.toOption
}
