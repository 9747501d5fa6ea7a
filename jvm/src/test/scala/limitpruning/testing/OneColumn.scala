package limitpruning.testing

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path => HadoopPath}
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.format.{ColumnChunk, ColumnMetaData}
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName.UNCOMPRESSED
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser

/** Files with one column `c` in one row group, with the encodings, pages and filters that a test needs. */
object OneColumn {
  type Options = ExampleParquetWriter.Builder => ParquetWriter.Builder[Group, ExampleParquetWriter.Builder]

  /** Without compression, with dictionary and checksums, in pages of 100 rows. */
  def write(path: Path, field: String, values: Seq[Any])(options: Options): Path = {
    Files.deleteIfExists(path)
    val schema = MessageTypeParser.parseMessageType(s"message m { $field; }")
    val builder = ExampleParquetWriter
      .builder(new HadoopPath(path.toUri))
      .withConf(new Configuration(false))
      .withType(schema)
      .withCompressionCodec(UNCOMPRESSED)
      .withDictionaryEncoding(true)
      .withPageRowCountLimit(100)
    val writer = options(builder).build()
    val groups = new SimpleGroupFactory(schema)
    try
      values.foreach { value =>
        val group = groups.newGroup()
        value match {
          case null => ()
          case v: Boolean => group.add(0, v)
          case v: Int => group.add(0, v)
          case v: Long => group.add(0, v)
          case v: Float => group.add(0, v)
          case v: Double => group.add(0, v)
          case v: String => group.add(0, v)
          case v: Array[Byte] => group.add(0, Binary.fromConstantByteArray(v))
          case other => throw new IllegalArgumentException(s"a column cannot hold $other")
        }
        writer.write(group)
      }
    finally writer.close()
    FooterEdit.forgetChecksum(path)
  }

  /** Changes the metadata of the column's only chunk in the footer. */
  def edit(path: Path)(change: ColumnMetaData => Any): Path = editChunk(path)(c => change(c.getMeta_data))

  def editChunk(path: Path)(change: ColumnChunk => Any): Path =
    FooterEdit(path)(raw => raw.getRow_groups.asScala.foreach(_.getColumns.asScala.foreach(c => change(c))))

  /** Files of other writers. They are next to the checkout on some machines, and missing on others. */
  def corpus(name: String): Option[FileStatus] =
    Iterator
      .iterate(Paths.get("").toAbsolutePath)(_.getParent)
      .takeWhile(_ != null)
      .map(_.resolveSibling("shared").resolve("corpus/parquet-testing").resolve(name))
      .find(Files.exists(_))
      .map { path =>
        val hadoop = new HadoopPath(path.toUri)
        hadoop.getFileSystem(new Configuration()).getFileStatus(hadoop)
      }
}
