package limitpruning.shims

import scala.annotation.unused

import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.conf.PlainParquetConfiguration
import org.apache.parquet.format.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.schema.PrimitiveType
import org.apache.spark.sql.types.DataType

/** Members of the parquet-java of Spark 4 that the one of Spark 3.5 (1.13) does not have, or has in another form. */
private[limitpruning] object ParquetShims {

  /** Whether the minimum is a value of the chunk; none if the writer did not say it. */
  def isMinExact(statistics: Statistics): Option[Boolean] =
    if (statistics.isSetIs_min_value_exact) Some(statistics.isIs_min_value_exact) else None

  /** Whether the maximum is a value of the chunk; none if the writer did not say it. */
  def isMaxExact(statistics: Statistics): Option[Boolean] =
    if (statistics.isSetIs_max_value_exact) Some(statistics.isIs_max_value_exact) else None

  /** The size of the bloom filter with its header, in bytes; none if the writer did not write it. */
  def bloomFilterLength(chunk: ColumnChunkMetaData): Option[Long] =
    Some(chunk.getBloomFilterLength.toLong).filter(_ > 0)

  /** Whether Spark reads a type of a file as a Spark type without an error and without changing a value, if any Spark does. */
  def readsAs(@unused column: PrimitiveType, @unused dataType: DataType): Boolean = true

  /** Options of a reader that no Hadoop configuration has changed. */
  def optionsWithoutHadoop: ParquetReadOptions =
    ParquetReadOptions.builder(new PlainParquetConfiguration()).build()
}
