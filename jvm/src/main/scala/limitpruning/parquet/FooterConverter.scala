package limitpruning.parquet

import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.conf.PlainParquetConfiguration
import org.apache.parquet.format.converter.ParquetMetadataConverter

/**
 * parquet-java's reading of footers, made without the Hadoop configuration: a setting that makes it believe statistics of
 * a wrong sort order (`parquet.strings.signed-min-max.enabled`) has no say in proofs. Thread-safe.
 */
private[parquet] object FooterConverter {
  def apply(): ParquetMetadataConverter = converter

  private val converter =
    new ParquetMetadataConverter(ParquetReadOptions.builder(new PlainParquetConfiguration()).build())
}
