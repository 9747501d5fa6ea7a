package limitpruning.predicate

import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._

/** The types whose values are reasoned about; an expression of any other type has unknown facts. */
object SupportedTypes {

  def contains(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case _: DecimalType | DateType | TimestampType | TimestampNTZType | BinaryType => true
    // Any other collation orders and equates strings otherwise than by their bytes.
    case string: StringType => string == StringType
    case _ => false
  }

  /** Spark's own ordering: bytes unsigned, NaN above everything and equal to itself, -0.0 equal to 0.0. */
  def ordering(dataType: DataType): Ordering[Any] = TypeUtils.getInterpretedOrdering(dataType)
}
