package limitpruning.testing

import java.nio.file.{Files, Path}
import java.util.IdentityHashMap

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.example.data.simple.{SimpleGroup, SimpleGroupFactory}
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.ParquetFileWriter.Mode
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.util.{HadoopInputFile, HadoopOutputFile}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{MessageType, MessageTypeParser}

/**
 * A Parquet file with the row groups that a test needs, for example
 * {{{
 * ParquetFixture("optional int32 a; optional binary s (STRING);").rowGroup(Seq(1, "x"), Seq(null, "y")).write(path)
 * }}}
 *
 * @param schema the message's fields, none of them nested
 * @param rowGroups the rows of each row group, with null for a missing value
 * @param dictionaryBytes the maximum size of dictionaries; 0 for that of parquet-java
 */
final case class ParquetFixture(
    schema: MessageType,
    rowGroups: Vector[Seq[Seq[Any]]],
    dictionary: Boolean,
    dictionaryBytes: Int,
    keyValues: Map[String, String]
) {

  import ParquetFixture.BlockSize

  def rowGroup(rows: Seq[Any]*): ParquetFixture = copy(rowGroups = rowGroups :+ rows)
  def withDictionary: ParquetFixture = copy(dictionary = true)

  /** @param bytes once dictionaries have this size, pages do not use them; the first page has 100 rows */
  def withDictionaryUpTo(bytes: Int): ParquetFixture = copy(dictionary = true, dictionaryBytes = bytes)
  def keyValue(key: String, value: String): ParquetFixture = copy(keyValues = keyValues + (key -> value))

  /**
   * Writes each row group to a separate file, and appends these files to one, which does not change the row
   * groups. The same object is written once, however often it is a row group.
   */
  def write(path: Path): Path = {
    val conf = new Configuration(false)
    val output = HadoopOutputFile.fromPath(new HadoopPath(path.toUri), conf)
    val properties = ParquetProperties.builder().build()
    val writer = new ParquetFileWriter(output, schema, Mode.OVERWRITE, BlockSize, 0, null, properties)
    writer.start()
    val parts = new IdentityHashMap[Seq[Seq[Any]], Path]
    rowGroups.foreach { rows =>
      val part = parts.computeIfAbsent(rows, writePart(_))
      writer.appendFile(HadoopInputFile.fromPath(new HadoopPath(part.toUri), conf))
    }
    parts.values.forEach(part => Files.delete(FooterEdit.forgetChecksum(part)))
    writer.end(keyValues.asJava)
    FooterEdit.forgetChecksum(path)
  }

  private def writePart(rows: Seq[Seq[Any]]): Path = {
    val path = Files.createTempFile("row-group", ".parquet")
    Files.delete(path)
    val builder = ExampleParquetWriter
      .builder(new HadoopPath(path.toUri))
      .withConf(new Configuration(false))
      .withType(schema)
      .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
      .withDictionaryEncoding(dictionary)
    // A dictionary that is exceeded in the first page is not written.
    if (dictionaryBytes > 0) builder.withDictionaryPageSize(dictionaryBytes).withPageRowCountLimit(20)
    val writer = builder.build()
    val groups = new SimpleGroupFactory(schema)
    try
      rows.foreach { row =>
        val group = groups.newGroup().asInstanceOf[SimpleGroup]
        row.zipWithIndex.foreach { case (value, field) => add(group, field, value) }
        writer.write(group)
      }
    finally writer.close()
    path
  }

  private def add(group: SimpleGroup, field: Int, value: Any): Unit = value match {
    case null => ()
    case v: Boolean => group.add(field, v)
    case v: Int => group.add(field, v)
    case v: Long => group.add(field, v)
    case v: Float => group.add(field, v)
    case v: Double => group.add(field, v)
    case v: String => group.add(field, v)
    case v: Array[Byte] => group.add(field, Binary.fromConstantByteArray(v))
    case other => throw new IllegalArgumentException(s"a fixture cannot hold $other")
  }
}

object ParquetFixture {

  /** The size to which files are padded, which no fixture reaches. */
  private val BlockSize = 128L * 1024 * 1024

  def apply(fields: String): ParquetFixture =
    ParquetFixture(
      MessageTypeParser.parseMessageType(s"message m { $fields }"),
      Vector.empty,
      false,
      0,
      Map.empty
    )
}
