package limitpruning.testing

import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.example.data.simple.{SimpleGroup, SimpleGroupFactory}
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName.UNCOMPRESSED
import org.apache.parquet.schema.MessageTypeParser

/**
 * Files with one row group in many pages. The pages of different columns have different boundaries: a page
 * ends after a number of bytes or rows.
 */
object PagedFile {

  /**
   * @param fields flat columns of integers, longs or strings
   * @param rows with null for a missing value
   */
  def write(
      path: Path,
      fields: String,
      rows: Seq[Seq[Any]],
      pageBytes: Int = 64,
      pageRows: Int = 1000,
      withDictionary: Boolean = false
  ): Path = {
    Files.deleteIfExists(path)
    val schema = MessageTypeParser.parseMessageType(s"message m { $fields }")
    val writer = ExampleParquetWriter
      .builder(new HadoopPath(path.toUri))
      .withConf(new Configuration(false))
      .withType(schema)
      .withCompressionCodec(UNCOMPRESSED)
      .withDictionaryEncoding(withDictionary)
      .withPageSize(pageBytes)
      .withMinRowCountForPageSizeCheck(1)
      .withMaxRowCountForPageSizeCheck(1)
      .withPageRowCountLimit(pageRows)
      .build()
    val groups = new SimpleGroupFactory(schema)
    try
      rows.foreach { row =>
        val group = groups.newGroup().asInstanceOf[SimpleGroup]
        row.zipWithIndex.foreach {
          case (null, _) => ()
          case (v: Int, field) => group.add(field, v)
          case (v: Long, field) => group.add(field, v)
          case (v: String, field) => group.add(field, v)
          case (other, _) => throw new IllegalArgumentException(s"a column cannot hold $other")
        }
        writer.write(group)
      }
    finally writer.close()
    FooterEdit.forgetChecksum(path)
  }
}
