package limitpruning.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.SparkSessions
import limitpruning.testing.SparkSuite

class ReaderConfigurationSuite extends AnyFunSuite with SparkSuite {
  private def conf = SparkSessions.hadoopConf(spark, Map("some.key" -> "some value"))

  private def reader: PartitionedFile => Iterator[InternalRow] = {
    val none = new StructType
    val options = Map(FileFormat.OPTION_RETURNING_BATCH -> "false")
    new ParquetFileFormat().buildReaderWithPartitionValues(spark, none, none, none, Nil, options, conf)
  }

  test("is the one that Spark's reader of Parquet has broadcast") {
    val read = reader
    val found = ReaderConfiguration.capturedBy(read)
    assert(found.map(_.value.value.get("some.key")).contains("some value"))
    assert(ReaderConfiguration.of(spark.sparkContext, read, conf).id == found.get.id)
  }

  test("is broadcast if the reader has none") {
    val read: PartitionedFile => Iterator[InternalRow] = _ => Iterator.empty
    assert(ReaderConfiguration.capturedBy(read).isEmpty)
    assert(ReaderConfiguration.of(spark.sparkContext, read, conf).value.value.get("some.key") == "some value")
  }
}
