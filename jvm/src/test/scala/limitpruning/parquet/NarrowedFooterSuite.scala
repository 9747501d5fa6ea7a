package limitpruning.parquet

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.format.{AesGcmV1, ColumnChunk, EncryptionAlgorithm, FileMetaData}
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.FileVersion
import limitpruning.testing.{FooterEdit, ParquetFixture, RawChunk, RawFooter, TempFolder}

class NarrowedFooterSuite extends AnyFunSuite with TempFolder {
  private val raw = RawFooter("""
    required int32 a;
    required group g { required int32 a; required group h { required int64 x; } }
    required double B;""")
    .rowGroup(
      10,
      RawChunk.between(1, 2),
      RawChunk.between(3, 4),
      RawChunk.between(5L, 6L),
      RawChunk.between(7.0, 8.0)
    )

  private def narrowed(
      columns: FileColumns,
      edit: FileMetaData => Any = _ => ()
  ): (NarrowedFooter, Footer) = {
    val metadata = raw.metadata
    val _ = edit(metadata)
    val narrowed = NarrowedFooter.of(metadata, columns, FooterSeal(1, 2))
    (narrowed, Footer.of(narrowed))
  }

  private def edited(edit: Seq[ColumnChunk] => Seq[ColumnChunk])(metadata: FileMetaData): Any = {
    val rowGroup = metadata.getRow_groups.get(0)
    rowGroup.setColumns(edit(rowGroup.getColumns.asScala.toSeq).asJava)
  }

  private def leaves(footer: Footer): Seq[String] =
    footer.schema.getPaths.asScala.map(_.mkString(".")).toSeq

  private def chunks(footer: Footer): Seq[String] =
    footer.rowGroups.head.getColumns.asScala.map(_.getPath.toDotString).toSeq

  for (
    (names, expected) <- Seq(
      Seq("a") -> Seq("a"),
      Seq("A", "b") -> Seq("a", "B"),
      Seq("g") -> Seq("g.a", "g.h.x"),
      Seq("G", "b") -> Seq("g.a", "g.h.x", "B"),
      Seq("a", "g", "b") -> Seq("a", "g.a", "g.h.x", "B"),
      Seq("nowhere") -> Seq("a") // a file needs at least one column
    )
  )
    test(s"asked for ${names.mkString(", ")}, it tells of ${expected.mkString(", ")}") {
      val (_, footer) = narrowed(FileColumns.named(names))
      assert(leaves(footer) == expected)
      assert(chunks(footer) == expected)
      assert(footer.columns.covers(FileColumns.named(names)))
    }

  test("of columns that are only read, it has the places of their chunks and no metadata") {
    val (_, footer) = narrowed(FileColumns.named(Seq("a"), read = Seq("G")))
    assert(leaves(footer) == Seq("a") && chunks(footer) == Seq("a"))
    assert(footer.places(0) == Seq(
      ChunkPlace(Seq("a"), 4, 100, None, isSkippable = true),
      ChunkPlace(Seq("g", "a"), 104, 100, None, isSkippable = true),
      ChunkPlace(Seq("g", "h", "x"), 204, 100, None, isSkippable = true)
    ))
    assert(!footer.columns.covers(FileColumns.named(Seq("g"))))
    val (_, readsAll) = narrowed(FileColumns.named(Nil, read = Seq("a", "g", "b")))
    assert(leaves(readsAll) == Seq("a"), "a file needs at least one column")
    assert(readsAll.places(0).map(_.path.mkString(".")) == Seq("a", "g.a", "g.h.x", "B"))
  }

  test("the places are those that parquet-java states of the same chunks, in any file") {
    def withParts(metadata: FileMetaData): Any = {
      val chunks = metadata.getRow_groups.get(0).getColumns
      val _ = chunks.get(0).getMeta_data.setDictionary_page_offset(2)
      val _ =
        chunks.get(1).getMeta_data.setDictionary_page_offset(1000) // after the data, so it is not the start
      val _ = chunks.get(1).getMeta_data.setTotal_compressed_size(1L << 40)
      val _ = chunks.get(2).setOffset_index_offset(1L << 41).setOffset_index_length(Int.MaxValue)
      val _ = chunks.get(3).setOffset_index_offset(700).setOffset_index_length(0)
      chunks.get(0).setOffset_index_offset(600).setOffset_index_length(-3)
    }
    val (_, footer) = narrowed(FileColumns.All, withParts(_))
    val expected = footer.rowGroups(0).getColumns.asScala.map(ChunkPlace.of).toSeq
    assert(footer.places(0) == expected)
    assert(expected.map(_.start) == Seq(2, 104, 204, 304))
    assert(expected.map(_.offsetIndex.nonEmpty) == Seq(false, false, true, false))
    assert(expected(2).offsetIndex.contains(IndexPlace(1L << 41, Int.MaxValue)))
  }

  test("of an encrypted file, the offset indexes have no place") {
    def encrypted(metadata: FileMetaData): Any = {
      val _ =
        metadata.getRow_groups.get(0).getColumns.get(0).setOffset_index_offset(700).setOffset_index_length(10)
      metadata.setEncryption_algorithm(EncryptionAlgorithm.AES_GCM_V1(new AesGcmV1()))
    }
    val (sent, _) = narrowed(FileColumns.named(Seq("a")), encrypted(_))
    assert(sent.columns == FileColumns.All && sent.places(0).size == 4)
    assert(sent.places(0).forall(_.offsetIndex.isEmpty))
  }

  test("if no column is needed, one with few leaves stays") {
    val metadata = RawFooter("required group g { required int32 a; required int32 b; } required int32 c;")
      .rowGroup(10, RawChunk.silent, RawChunk.silent, RawChunk.silent).metadata
    val footer = Footer.of(NarrowedFooter.of(metadata, FileColumns.named(Nil), FooterSeal(1, 2)))
    assert(leaves(footer) == Seq("c") && footer.places(0).isEmpty)
  }

  test("the metadata of a column are those of the whole footer, with its statistics") {
    val (_, footer) = narrowed(FileColumns.named(Seq("g", "b")))
    assert(footer.statement(0, 1, ColumnPath.get("g", "h", "x")).flatMap(_.minMax).contains((5L, 6L)))
    assert(footer.statement(0, 2, ColumnPath.get("B")).flatMap(_.minMax).contains((7.0, 8.0)))
  }

  test("row groups have the same locations and bytes as with all columns") {
    val (_, whole) = narrowed(FileColumns.All)
    val (_, narrow) = narrowed(FileColumns.named(Seq("b")))
    assert(narrow.offsets.midpoints == whole.offsets.midpoints && narrow.offsets.bytes == Seq(400))
    assert(narrow.offsets.selectsExactly(Seq(0)))
  }

  test("chunks that are not in the order of the schema, or too many or few, are not narrowed") {
    val edits = Seq[FileMetaData => Any](
      edited(_.reverse)(_),
      edited(chunks => chunks :+ chunks.head)(_),
      edited(_.init)(_)
    )
    for (edit <- edits) {
      val metadata = raw.metadata
      val _ = edit(metadata)
      val expected = metadata.deepCopy()
      val footer = NarrowedFooter.of(metadata, FileColumns.named(Seq("a")), FooterSeal(1, 2))
      assert(footer.metadata.getRow_groups == expected.getRow_groups)
      assert(footer.metadata.getSchema == expected.getSchema)
      assert(footer.columns == FileColumns.All)
      val paths = expected.getRow_groups.get(0).getColumns.asScala.map(_.getMeta_data.getPath_in_schema)
      assert(footer.places(0).map(_.path.asJava) == paths)
    }
  }

  test("of the key-value metadata, Spark's calendar is kept and schemas are not") {
    val file = ParquetFixture("required int32 a;").rowGroup(Seq(1))
      .keyValue("org.apache.spark.version", "2.4.0")
      .keyValue("org.apache.spark.sql.parquet.row.metadata", "{large}")
      .keyValue("ARROW:schema", "large")
      .write(folder.resolve("added.parquet"))
    val footer = new FooterReader(new Configuration()).read(status(file), FileColumns.All)
    assert(footer.keyValues == Map("org.apache.spark.version" -> "2.4.0"))
  }

  test("it is serialized by Java serialization") {
    val (sent, _) = narrowed(FileColumns.named(Seq("g")))
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(sent)
    out.close()
    val received = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
      .asInstanceOf[NarrowedFooter]
    val footer = Footer.of(received)
    assert(leaves(footer) == Seq("g.a", "g.h.x"))
    assert(footer.offsets.midpoints == sent.offsets.midpoints && footer.seal == FooterSeal(1, 2))
    assert(footer.offsets.selectsExactly(Seq(0)))
    assert(footer.places(0) == sent.places(0) && footer.places(0).nonEmpty)
  }

  test("the seal is that of the bytes in the file: another footer of the same length has another") {
    val file = ParquetFixture("required int32 a;").rowGroup(Seq(1), Seq(2)).write(folder.resolve("sealed"))
    val reader = new FooterReader(new Configuration())
    val seal = reader.read(status(file), FileColumns.All).seal
    val version = FileVersion(status(file).getLen, seal.length, seal.checksum)
    assert(reader.firstChange(status(file), version).isEmpty)
    val _ = FooterEdit.forgetChecksum(FooterEdit(file)(_.setVersion(2)))
    assert(reader.firstChange(status(file), version).nonEmpty)
    assert(reader.firstChange(status(file), version.copy(footerLength = 1 << 20)).nonEmpty)
  }
}
