package limitpruning.parquet

import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{BINARY, FIXED_LEN_BYTE_ARRAY}

/**
 * A kind of statement about the values of a column that a writer may have written incorrectly. The number of rows of a row
 * group is not such a statement: every reader relies on it.
 *
 * @param name for users
 */
private[parquet] sealed abstract class Claim(val name: String)

private[parquet] object Claim {
  case object NullCounts extends Claim("null counts")

  /** Of signed integers, floats, booleans, dates and timestamps. */
  case object NumbersMinMax extends Claim("min/max of numbers and times")

  /** That these are the min and the max of values in the chunk. The format also allows bounds that no row has. */
  case object NumbersOccur extends Claim("that min/max of numbers and times occur")

  /** Of strings and binary. */
  case object BytesMinMax extends Claim("min/max of strings and binary")
  case object DecimalsMinMax extends Claim("min/max of decimals")

  /** Of unsigned integers of 32 and 64 bits. Narrower ones are never negative in INT32. */
  case object UnsignedMinMax extends Claim("min/max of unsigned integers")

  /** Min, max and null counts of pages, and the rows of each page. */
  case object PageIndexes extends Claim("page indexes")

  /** Encoding statistics, which say that all values of a chunk are in its dictionary. */
  case object Dictionaries extends Claim("completeness of dictionaries")

  /** That each entry of a dictionary is the value of a row. The format also allows entries that no row has. */
  case object EntriesOccur extends Claim("that entries of dictionaries occur")
  case object BloomFilters extends Claim("bloom filters")

  val all: Set[Claim] = Set(
    NullCounts,
    NumbersMinMax,
    NumbersOccur,
    BytesMinMax,
    DecimalsMinMax,
    UnsignedMinMax,
    PageIndexes,
    Dictionaries,
    EntriesOccur,
    BloomFilters
  )

  /** The kind that min and max of a column are. */
  def minMaxOf(column: PrimitiveType): Claim = column.getLogicalTypeAnnotation match {
    case _: LogicalTypeAnnotation.DecimalLogicalTypeAnnotation => DecimalsMinMax
    case int: LogicalTypeAnnotation.IntLogicalTypeAnnotation if !int.isSigned && int.getBitWidth >= 32 =>
      UnsignedMinMax
    case _ =>
      column.getPrimitiveTypeName match {
        case BINARY | FIXED_LEN_BYTE_ARRAY => BytesMinMax
        case _ => NumbersMinMax
      }
  }
}
