package limitpruning.parquet

import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType}
import org.apache.parquet.schema.LogicalTypeAnnotation.intType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._

/**
 * The pairs of Spark type and Parquet type of numbers whose comparisons every supported Spark passes to Parquet's reader. It
 * ignores a filter over another type, such as an INT64 that is annotated as an integer of 64 bits.
 */
private[parquet] object PushedDown {

  def contains(sparkType: DataType, stored: PrimitiveType): Boolean = {
    def is(name: PrimitiveType.PrimitiveTypeName, annotation: LogicalTypeAnnotation = null) =
      stored.getPrimitiveTypeName == name && stored.getLogicalTypeAnnotation == annotation
    sparkType match {
      case ByteType => is(INT32, intType(8, true))
      case ShortType => is(INT32, intType(16, true))
      case IntegerType => is(INT32)
      case LongType => is(INT64)
      case FloatType => is(FLOAT)
      case DoubleType => is(DOUBLE)
      case _ => false
    }
  }
}
