package limitpruning.parquet

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.format.{AesGcmV1, EncryptionAlgorithm}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.api.Binary
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{FooterEdit, OneColumn, TempFolder}
import limitpruning.testing.OneColumn.Options

class ChunkReaderSuite extends AnyFunSuite with TempFolder {
  private val conf = new Configuration()
  private val Large = 1L << 20
  private val plainOptions: Options = identity

  /** Enough of each for several pages. */
  private val few = Seq.tabulate(500)(i => if (i % 7 == 0) null else s"value ${i % 5}")
  private val fewDistinct = (0 to 4).map(i => s"value $i").toSet

  private def write(name: String, values: Seq[Any], field: String = "optional binary c (STRING)")(
      options: Options
  ): Path = OneColumn.write(folder.resolve(name), field, values)(options)

  private def read[T](file: FileStatus)(body: ChunkReader => T): T = {
    val reader = new ChunkReader(
      file,
      new FooterReader(conf).read(file, FileColumns.All),
      Storage(conf)
    )
    try body(reader)
    finally reader.close()
  }

  private def dictionary(path: Path, maxBytes: Long = Large): Option[IndexedSeq[Any]] =
    read(status(path))(_.dictionary(0, 0, maxBytes))

  private def strings(values: IndexedSeq[Any]): Set[String] =
    values.map(_.asInstanceOf[Binary].toStringUsingUTF8).toSet

  test("returns all values of a chunk whose pages all use the dictionary, in both versions of pages") {
    for (version <- WriterVersion.values) {
      val file = status(write(s"$version.parquet", few)(_.withWriterVersion(version)))
      read(file) { reader =>
        assert(reader.hasDictionary(0, 0) && reader.bytesRead == 0)
        assert(reader.dictionary(0, 0, Large).map(strings).contains(fewDistinct), version)
        assert(reader.dictionaryBytes(0, 0).contains(reader.bytesRead), "the page and nothing else was read")
      }
    }
  }

  test("returns the values of all types in the classes of statistics") {
    val cases: Seq[(String, Seq[Any], Set[Any])] = Seq(
      ("required int32 c", Seq(7, -1, 7), Set(7, -1)),
      ("required int64 c", Seq(1L << 40, 2L), Set(1L << 40, 2L)),
      ("required float c", Seq(1.5f, Float.NaN), Set(1.5f)),
      ("required double c", Seq(-0.0d, 2.5d), Set(-0.0d, 2.5d)),
      ("required binary c", Seq("", "é"), Set(Binary.fromString(""), Binary.fromString("é"))),
      (
        "required fixed_len_byte_array(2) c",
        Seq(Array[Byte](1, -1)),
        Set(Binary.fromConstantByteArray(Array[Byte](1, -1)))
      )
    )
    for ((field, values, expected) <- cases) {
      val found = dictionary(write("types.parquet", Seq.fill(50)(values).flatten, field)(
        _.withWriterVersion(WriterVersion.PARQUET_2_0)
      ))
      assert(found.exists(v => expected.subsetOf(v.toSet) && v.size == values.distinct.size), field)
    }
    assert(dictionary(write("types.parquet", Seq(true, false), "required boolean c")(plainOptions)).isEmpty)
  }

  test("reads every codec, and returns none for a codec that this machine lacks") {
    import CompressionCodecName._
    for (codec <- Seq(UNCOMPRESSED, SNAPPY, GZIP, LZ4, LZ4_RAW, ZSTD)) {
      val found = dictionary(write(s"$codec.parquet", few)(_.withCompressionCodec(codec)))
      assert(found.map(strings).contains(fewDistinct), codec)
    }
    val brotli = OneColumn.edit(write("brotli.parquet", few)(plainOptions))(
      _.setCodec(org.apache.parquet.format.CompressionCodec.BROTLI)
    )
    assert(dictionary(brotli).isEmpty)
  }

  test("returns none if the writer stopped using the dictionary in the middle of the chunk") {
    val many = few ++ (1 to 2000).map(i => s"another value, the ${i}th")
    for (version <- WriterVersion.values) {
      val path = write(s"fallback-$version.parquet", many)(
        _.withWriterVersion(version).withDictionaryPageSize(1024)
      )
      val encodings =
        new FooterReader(conf).read(
          status(path),
          FileColumns.All
        ).rowGroups.head.getColumns.get(0).getEncodingStats
      assert(
        encodings.hasDictionaryEncodedPages && encodings.hasNonDictionaryEncodedPages,
        "as this test wants"
      )
      read(status(path)) { reader =>
        assert(!reader.hasDictionary(0, 0) && reader.dictionary(0, 0, Large).isEmpty && reader.bytesRead == 0)
      }
    }
  }

  test("gives nothing where encoding statistics are absent, empty, or contradict the chunk's encodings") {
    import org.apache.parquet.format.{Encoding, PageType}
    def edited(change: org.apache.parquet.format.ColumnMetaData => Any) =
      dictionary(OneColumn.edit(write("encodings.parquet", few)(plainOptions))(change))
    assert(edited(identity).nonEmpty)
    assert(edited(_.unsetEncoding_stats()).isEmpty)
    assert(edited(_.setEncoding_stats(List.empty.asJava)).isEmpty)
    assert(edited(_.getEncoding_stats.removeIf(_.getPage_type == PageType.DICTIONARY_PAGE)).isEmpty)
    assert(edited(_.getEncoding_stats.removeIf(_.getPage_type == PageType.DATA_PAGE)).isEmpty)
    assert(edited(_.getEncoding_stats.forEach { s =>
      val _ = s.setCount(0)
    }).isEmpty)
    assert(edited(_.addToEncodings(Encoding.DELTA_BYTE_ARRAY)).isEmpty)
  }

  test("gives nothing for a chunk without dictionary, all null, or not there") {
    assert(dictionary(write("plain.parquet", few)(_.withDictionaryEncoding(false))).isEmpty)
    assert(dictionary(write("nulls.parquet", Seq(null, null))(plainOptions)).isEmpty)
    read(status(write("small.parquet", few)(plainOptions))) { reader =>
      for ((rowGroup, leaf) <- Seq((1, 0), (-1, 0), (0, 1), (0, -1)))
        assert(!reader.hasDictionary(rowGroup, leaf) && reader.dictionary(rowGroup, leaf, Large).isEmpty)
    }
  }

  test("never reads more than it may, and nothing of what is too large") {
    val large = write("large.parquet", Seq.fill(200)(1L) ++ (1L to 20000L), "required int64 c")(plainOptions)
    read(status(large)) { reader =>
      assert(reader.dictionary(0, 0, 100000).isEmpty && reader.bytesRead == 0)
      assert(reader.dictionary(0, 0, 160000).exists(_ == (1L to 20000L)))
    }
    val gzip = write("gzip.parquet", Seq.fill(10)(Seq("x" * 50000, "x" * 50001)).flatten)(
      _.withCompressionCodec(CompressionCodecName.GZIP)
    )
    assert(dictionary(gzip, 2000).isEmpty, "small as compressed, large as decompressed")
    assert(dictionary(gzip, 200000).nonEmpty)
  }

  test("finds a dictionary that the footer has no offset for, with as little reading") {
    val values = 1L to 1000L
    val written = write("offset.parquet", Seq.fill(20)(values).flatten, "required int64 c")(
      _.withPageRowCountLimit(30000)
    )
    val path = OneColumn.edit(written) { c =>
      c.setData_page_offset(c.getDictionary_page_offset)
      c.unsetDictionary_page_offset()
    }
    read(status(path)) { reader =>
      assert(reader.hasDictionary(0, 0) && reader.dictionaryBytes(0, 0).isEmpty)
      assert(reader.dictionary(0, 0, 1000).isEmpty && reader.bytesRead <= 1128)
      assert(reader.dictionary(0, 0, 8000).contains(values))
    }
  }

  test("line 50: returns the right values or none for a page with any byte changed, and never fails") {
    val path = write("corrupt.parquet", few)(_.withCompressionCodec(CompressionCodecName.SNAPPY))
    val whole = Files.readAllBytes(path)
    val Some(size) = read(status(path))(_.dictionaryBytes(0, 0)): @unchecked
    for (i <- 4 until 4 + size.toInt; change <- Seq(1, 0x80, 0xff)) {
      Files.write(path, whole.updated(i, (whole(i) ^ change).toByte))
      assert(dictionary(path).map(strings).forall(_ == fewDistinct), s"with byte $i changed by $change")
    }
  }

  test("line 50: returns none if offsets are wrong, and if the file is missing") {
    for (offset <- Seq(5L, 20L, 1L << 40, -1L)) {
      val moved = OneColumn.edit(write("moved.parquet", few)(_.withBloomFilterEnabled(true))) { c =>
        c.setDictionary_page_offset(offset).setBloom_filter_offset(offset)
      }
      read(status(moved))(r =>
        assert(r.dictionary(0, 0, Large).isEmpty && r.bloomFilter(0, 0, Large).isEmpty)
      )
    }
    val path = write("gone.parquet", few)(_.withBloomFilterEnabled(true))
    read(status(path)) { reader =>
      Files.delete(path)
      assert(reader.dictionary(0, 0, Large).isEmpty && reader.bloomFilter(0, 0, Large).isEmpty)
    }
  }

  test("line 37: returns none for files with encrypted columns") {
    val path = write("secret.parquet", few)(_.withBloomFilterEnabled(true))
    FooterEdit(path)(_.setEncryption_algorithm(EncryptionAlgorithm.AES_GCM_V1(new AesGcmV1())))
    read(status(path)) { reader =>
      assert(!reader.hasDictionary(0, 0) && reader.dictionary(0, 0, Large).isEmpty)
      assert(!reader.hasBloomFilter(0, 0) && reader.bloomFilter(0, 0, Large).isEmpty)
    }
  }

  test("returns a bloom filter with all values, with or without its length in the footer") {
    val values = (1 to 1000).map(_ * 3)
    val path = write("bloom.parquet", values, "required int32 c")(
      _.withBloomFilterEnabled(true).withBloomFilterNDV("c", 1000)
    )
    for (edit <- Seq[Path => Path](identity, OneColumn.edit(_)(_.unsetBloom_filter_length())))
      read(status(edit(path))) { reader =>
        assert(reader.hasBloomFilter(0, 0) && reader.bytesRead == 0)
        val Some(filter) = reader.bloomFilter(0, 0, Large): @unchecked
        assert(values.forall(v => filter.findHash(filter.hash(v))))
        assert((1 to 1000).count(v => !filter.findHash(filter.hash(v * 3 + 1))) > 900)
        val size = filter.getBitsetSize.toLong
        assert(reader.bloomFilter(0, 0, size).nonEmpty && reader.bloomFilter(0, 0, size - 1).isEmpty)
      }
    assert(read(status(write("none.parquet", few)(plainOptions)))(!_.hasBloomFilter(0, 0)))
  }

  test("line 48: returns none for a filter whose length differs from the footer") {
    for (wrong <- Seq(-1, 1, 32)) {
      val path = write("length.parquet", few)(_.withBloomFilterEnabled(true).withBloomFilterNDV("c", 100))
      OneColumn.edit(path)(c => c.setBloom_filter_length(c.getBloom_filter_length + wrong))
      assert(read(status(path))(_.bloomFilter(0, 0, Large)).isEmpty, wrong)
    }
  }

  test("reads files of other writers, and returns none for malformed ones") {
    def corpus[T](name: String)(body: ChunkReader => T): T =
      read(OneColumn.corpus(
        name
      ).getOrElse(cancel(s"no $name of apache/parquet-testing in ../shared/corpus/parquet-testing")))(body)
    for (name <- Seq("stats", "with_length"))
      corpus(s"data_index_bloom_encoding_$name.parquet") { reader =>
        val Some(filter) = reader.bloomFilter(0, 0, Large): @unchecked
        assert(filter.findHash(filter.hash(Binary.fromString("Hello"))))
        assert(!filter.findHash(filter.hash(Binary.fromString("absent"))))
      }
    corpus("nation.dict-malformed.parquet")(r => assert((0 to 3).forall(r.dictionary(0, _, Large).isEmpty)))
    corpus("dict-page-offset-zero.parquet")(r => assert(r.dictionary(0, 0, Large).isEmpty))
    corpus("rle-dict-snappy-checksum.parquet")(r => assert(r.dictionary(0, 0, Large).exists(_.size == 1)))
    val _ = corpus("rle-dict-uncompressed-corrupt-checksum.parquet")(_.dictionary(0, 0, Large))
  }
}
