package limitpruning.shims

import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.format.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

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

  /** Options of a reader that no Hadoop configuration has changed. */
  def optionsWithoutHadoop: ParquetReadOptions = ParquetReadOptions.builder().build()
}
