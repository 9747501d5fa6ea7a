package limitpruning.parquet

import java.io.RandomAccessFile
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path => HadoopPath}
import org.apache.parquet.format.{FieldRepetitionType, SchemaElement}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.footers.FootersOnExecutor
import limitpruning.testing.{FooterEdit, LatencyFileSystem, PagedFile, ParquetFixture, TempFolder}

class FooterReaderSuite extends AnyFunSuite with TempFolder {
  private val reader = new FooterReader(new Configuration())
  private val fixture = ParquetFixture("optional int32 a; required binary s (STRING);")
    .rowGroup(Seq(1, "x"), Seq(null, "y"))
    .rowGroup(Seq(7, "z"))

  private def path(name: String): Path = folder.resolve(name)
  private def bytes(name: String, content: Array[Byte]): FileStatus = status(Files.write(path(name), content))

  private def refuses(file: FileStatus, problem: String): Assertion = {
    val error = intercept[UnreadableFooterException](reader.read(file, FileColumns.All))
    assert(error.getMessage.contains(file.getPath.toString), "the message must name the file")
    assert(error.getMessage.contains(problem), "the message must tell the problem")
  }

  test("reads the row groups of a small footer with one request") {
    val footer = reader.read(status(fixture.write(path("small.parquet"))), FileColumns.All)
    assert(footer.rowGroups.map(_.getRowCount) == Seq(2, 1))
    assert(footer.rowGroups.head.getColumns.get(0).getStatistics.getNumNulls == 1)
    assert(footer.schema == fixture.schema)
  }

  test("reads footers larger than the first request, and of exactly its size") {
    val wide = "abcdefgh" * 1000
    for (length <- Seq(10, 31 * 1024, 32 * 1024 - 100, 32 * 1024, 33 * 1024, 200 * 1024)) {
      val file = fixture.keyValue("padding", (wide * 30).take(length)).write(path(s"large-$length.parquet"))
      val footer = reader.read(status(file), FileColumns.All)
      assert(footer.rowGroups.size == 2, s"with $length bytes of padding")
    }
  }

  test("the bytes before the footer are available afterwards, without a request") {
    val file = status(
      PagedFile.write(path("tail.parquet"), "required int32 a;", (1 to 50).map(Seq(_)))
    )
    val parts = new FileParts
    val footer = new FooterReader(new Storage(new Configuration(), parts)).read(file, FileColumns.All)
    Files.delete(path("tail.parquet"))
    val indexes = new PageIndexReader(file, footer, new Storage(new Configuration(), parts), 1 << 20)
    assert(indexes.locations(0, 0).exists(_.size > 1) && indexes.columnIndex(0, 0).nonEmpty)
    assert(parts.of(file).size == 2, "only what was used counts for the version of the file")
  }

  test("a footer has the duration of its request, unless the file is local") {
    val local = status(fixture.write(path("timed.parquet")))
    val slow =
      new FileStatus(local.getLen, false, 1, 1, 0, new HadoopPath(s"slow://${path("timed.parquet")}"))
    val conf = new Configuration()
    conf.setClass("fs.slow.impl", classOf[LatencyFileSystem], classOf[FileSystem])
    LatencyFileSystem.setMillis(20)
    try {
      val footers = new FooterReader(conf)
      val read = footers.read(slow, FileColumns.All)
      assert(read.requestBytes >= 20L * 100 * 1000, "20 ms at 100 KB/ms")
      val sent = FootersOnExecutor.read(Seq(FootersOnExecutor.question(slow, FileColumns.All)), conf, 1).head
      assert(FootersOnExecutor.footer(slow, sent).requestBytes >= 20L * 100 * 1000)
      assert(footers.read(local, FileColumns.All).requestBytes == 0)
      val shared = read.sharing(identity, identity, identity)
      assert(shared.requestBytes == read.requestBytes, "the cached footer has it, too")
    } finally LatencyFileSystem.setMillis(0)
  }

  test("rejects a file that is missing") {
    val gone = new FileStatus(1000, false, 1, 1, 0, new HadoopPath(path("missing.parquet").toUri))
    refuses(gone, "missing.parquet")
  }

  test("rejects a file that is empty, or too short for a footer") {
    refuses(bytes("empty.parquet", Array.empty), "it has only 0 bytes")
    refuses(bytes("short.parquet", "PAR1".getBytes(US_ASCII)), "it has only 4 bytes")
  }

  test("line 37: rejects files that are not Parquet, and encrypted footers") {
    refuses(
      bytes("text.parquet", ("no Parquet at all" * 9 + "ABCD").getBytes(US_ASCII)),
      "'ABCD' instead of 'PAR1'"
    )
    refuses(
      bytes("secret.parquet", ("PARE" + "x" * 99 + "PARE").getBytes(US_ASCII)),
      "'PARE' instead of 'PAR1'"
    )
  }

  test("rejects a truncated file of any length") {
    val whole = Files.readAllBytes(fixture.write(path("whole.parquet")))
    for (length <- 0 until whole.length by 7)
      intercept[UnreadableFooterException](reader.read(
        bytes("cut.parquet", whole.take(length)),
        FileColumns.All
      ))
  }

  test("rejects a file that became shorter after it was listed") {
    val file = fixture.write(path("shrunk.parquet"))
    val listed = status(file)
    Files.write(file, Files.readAllBytes(file).drop(20))
    intercept[UnreadableFooterException](reader.read(listed, FileColumns.All))
  }

  test("rejects footer lengths that exceed the file") {
    val whole = Files.readAllBytes(fixture.write(path("length.parquet")))
    for (length <- Seq(Array[Byte](-1, -1, -1, -1), Array[Byte](0, 0, 0, 0), Array[Byte](-1, -1, -1, 127))) {
      val changed = whole.dropRight(8) ++ length ++ "PAR1".getBytes(US_ASCII)
      refuses(bytes("length.parquet", changed), "its length is")
    }
  }

  test("rejects a footer larger than 64 MiB, and reads one of exactly 64 MiB") {
    val most = 64 * 1024 * 1024
    def sparse(name: String, footer: Int): FileStatus = {
      val file = new RandomAccessFile(path(name).toFile, "rw")
      try {
        file.seek(100L + footer)
        file.writeInt(Integer.reverseBytes(footer))
        file.write("PAR1".getBytes(US_ASCII))
      } finally file.close()
      status(path(name))
    }
    refuses(
      sparse("huge.parquet", most + 1),
      s"it has ${most + 1} bytes, but planning reads at most $most"
    )
    val error =
      intercept[UnreadableFooterException](reader.read(sparse("large.parquet", most), FileColumns.All))
    assert(!error.getMessage.contains("at most"), "it holds nothing but zeros, which is found by reading it")
  }

  test("rejects a footer of random bytes") {
    val random = new scala.util.Random(1)
    for (_ <- 1 to 50) {
      val noise = new Array[Byte](100)
      random.nextBytes(noise)
      val content = "PAR1".getBytes(US_ASCII) ++ noise ++ Array[Byte](100, 0, 0, 0) ++
        "PAR1".getBytes(US_ASCII)
      intercept[UnreadableFooterException](reader.read(bytes("noise.parquet", content), FileColumns.All))
    }
  }

  test("line 50: rejects negative row counts and sizes") {
    def edited(name: String)(edit: org.apache.parquet.format.RowGroup => Any): FileStatus =
      status(FooterEdit(fixture.write(path(name)))(raw => edit(raw.getRow_groups.get(1))))
    refuses(edited("rows.parquet")(_.setNum_rows(-1)), "a row group is outside of the file")
    refuses(
      edited("bytes.parquet")(_.getColumns.get(0).getMeta_data.setTotal_compressed_size(-1000)),
      "a row group is outside of the file"
    )
  }

  test("ignores a setting that trusts statistics of a wrong order") {
    val conf = new Configuration()
    conf.setBoolean("parquet.strings.signed-min-max.enabled", true)
    val file = FooterEdit(fixture.write(path("signed.parquet"))) { raw =>
      val statistics = raw.getRow_groups.get(0).getColumns.get(1).getMeta_data.getStatistics
      statistics.setMin(statistics.getMin_value)
      statistics.setMax(statistics.getMax_value)
      statistics.unsetMin_value()
      statistics.unsetMax_value()
    }
    val strings = new FooterReader(conf).read(status(file), FileColumns.All).rowGroups.head.getColumns.get(1)
    assert(!strings.getStatistics.hasNonNullValue)
  }

  test("rejects a schema of deeply nested groups without a stack overflow") {
    val deep = FooterEdit(fixture.write(path("deep.parquet"))) { raw =>
      val group = new SchemaElement("g").setRepetition_type(FieldRepetitionType.OPTIONAL).setNum_children(1)
      val elements = new java.util.ArrayList(raw.getSchema)
      elements.addAll(1, java.util.Collections.nCopies(100000, group))
      raw.setSchema(elements)
    }
    intercept[UnreadableFooterException](reader.read(status(deep), FileColumns.All))
  }

  test("rejects row groups that no byte range of the file selects") {
    for (size <- Seq(Long.MinValue, Long.MaxValue)) {
      val file = FooterEdit(fixture.write(path("middle.parquet"))) { raw =>
        raw.getRow_groups.get(0).setTotal_compressed_size(size)
      }
      refuses(status(file), "a row group is outside of the file")
    }
  }
}
