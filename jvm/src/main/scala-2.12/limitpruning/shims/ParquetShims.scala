package limitpruning.shims

import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.format.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.schema.LogicalTypeAnnotation.{DecimalLogicalTypeAnnotation, IntLogicalTypeAnnotation}
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{FLOAT, INT32, INT96}
import org.apache.spark.sql.types.{DataType, DecimalType, DoubleType, LongType, TimestampNTZType}

/** Members of the parquet-java of Spark 4 that the one of Spark 3.5 (1.13) does not have, or has in another form. */
private[limitpruning] object ParquetShims {

  /** Whether the minimum is a value of the chunk. This parquet-java skips what the writer says about that. */
  def isMinExact(statistics: Statistics): Option[Boolean] = {
    val _ = statistics
    None
  }

  /** Whether the maximum is a value of the chunk. This parquet-java skips what the writer says about that. */
  def isMaxExact(statistics: Statistics): Option[Boolean] = {
    val _ = statistics
    None
  }

  /** The size of the bloom filter with its header, in bytes. This parquet-java skips it. */
  def bloomFilterLength(chunk: ColumnChunkMetaData): Option[Long] = {
    val _ = chunk
    None
  }

  /**
   * Whether Spark reads a type of a file as a Spark type without an error and without changing a value, if any Spark does.
   * Spark 3.5 cannot read columns that were widened after they were written.
   */
  def readsAs(column: PrimitiveType, dataType: DataType): Boolean =
    (dataType, column.getPrimitiveTypeName, column.getLogicalTypeAnnotation) match {
      case (LongType, INT32, int: IntLogicalTypeAnnotation) => !int.isSigned
      case (LongType, INT32, _) => false
      case (DoubleType, INT32 | FLOAT, _) | (TimestampNTZType, INT32 | INT96, _) => false
      case (decimal: DecimalType, _, stored: DecimalLogicalTypeAnnotation) =>
        decimal.precision == stored.getPrecision && decimal.scale == stored.getScale
      case (_: DecimalType, _, int: IntLogicalTypeAnnotation) => !int.isSigned
      case (_: DecimalType, _, _) => false
      case _ => true
    }

  /** Options of a reader that no Hadoop configuration has changed. */
  def optionsWithoutHadoop: ParquetReadOptions = ParquetReadOptions.builder().build()
}
