package limitpruning.footers

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType, StringType, StructType}

/**
 * A part of the log of a Delta table, in one version. A version never changes.
 *
 * @param table the path of the table
 * @param id Delta's id of the table; another table may be created at its path
 * @param committed the time of the version in milliseconds; a table that is restored from a copy may get other versions of the
 *   same numbers
 * @param what what is known of each file; compared by equality
 */
private[limitpruning] final case class LogPartId(
    table: String,
    id: String,
    version: Long,
    committed: Long,
    what: Any
)

/** What was read of a part of a log. Immutable. */
private[limitpruning] trait LogPart {

  /** The approximate memory, in bytes. */
  def size: Int
}

/**
 * Statistics of files.
 *
 * @param ofFile by the path of a file in the log
 * @param schema of the rows
 * @param areOfAll whether the log has no other files
 */
private[limitpruning] final case class LogFacts(
    ofFile: Map[String, InternalRow],
    schema: StructType,
    areOfAll: Boolean
) extends LogPart {
  import LogFacts._

  override lazy val size: Int = {
    val types = schema.fields.map(_.dataType)
    ofFile.iterator.map { case (path, row) => EntrySize + path.length + sizeOf(row, types) }.sum
      .min(Int.MaxValue.toLong).toInt
  }
}

private[limitpruning] object LogFacts {

  /** An entry of a hash map, a string and a row, without their contents. */
  private val EntrySize = 144L

  /** A reference, and a number with its header. */
  private val ValueSize = 20L

  /** A decimal of Java with its digits. */
  private val LargeDecimal = 150L

  /** A string is a byte array with two headers. */
  private val StringSize = 36L

  private def sizeOf(row: InternalRow, types: Array[DataType]): Long = types.indices.iterator.map { i =>
    types(i) match {
      case _: StringType if !row.isNullAt(i) => ValueSize + StringSize + row.getUTF8String(i).numBytes
      case decimal: DecimalType if decimal.precision > Decimal.MAX_LONG_DIGITS => LargeDecimal
      case _ => ValueSize
    }
  }.sum
}
