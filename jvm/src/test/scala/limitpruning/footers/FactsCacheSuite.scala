package limitpruning.footers

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{EtagSource, FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SizeEstimator
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.{FileColumns, Footer, FooterReader, FooterSeal, NarrowedFooter}
import limitpruning.testing.{ParquetFixture, RawChunk, RawFooter, TempFolder}

class FactsCacheSuite extends AnyFunSuite with TempFolder {
  private val footer = RawFooter("required int32 a;").rowGroup(1, RawChunk.between(1, 2)).footer

  private def file(path: String, length: Long = 1000, time: Long = 5): FileStatus =
    new FileStatus(length, false, 1, 1, time, new Path(path))

  private final class Tagged(tag: String)
      extends FileStatus(1000, false, 1, 1, 5, new Path("/t/a"))
      with EtagSource {
    override def getEtag: String = tag
  }

  private def has(cache: FactsCache, file: FileStatus): Boolean =
    cache.footer(file, FileColumns.All).nonEmpty

  test("a footer is found only by the path, length and time of its own file") {
    val cache = new FactsCache(1 << 20)
    cache.keep(file("/t/a"), footer)
    assert(has(cache, file("/t/a")))
    assert(!has(cache, file("/t/b")) && !has(cache, file("/t/a", length = 1001)))
    assert(!has(cache, file("/t/a", time = 6)))
  }

  test("if the storage has entity tags, they count, too") {
    val cache = new FactsCache(1 << 20)
    cache.keep(new Tagged("x"), footer)
    assert(has(cache, new Tagged("x")) && !has(cache, new Tagged("y")) && !has(cache, new Tagged(null)))
  }

  test("manifests share the memory with footers, and only forgetAll removes them") {
    final class Metrics(override val size: Int) extends ManifestMetrics
    val cache = new FactsCache(10000)
    val (one, other) = (ManifestId("/t/m", 10), ManifestId("/t/m", 11))
    val metrics = new Metrics(4000)
    cache.keep(one, metrics)
    cache.keep(file("/t/a"), footer)
    assert(cache.manifest(one).contains(metrics) && cache.manifest(other).isEmpty)
    assert(cache.size > 4000)
    cache.forget(new Path("/t"))
    assert(cache.manifest(one).contains(metrics) && !has(cache, file("/t/a")))
    cache.keep(other, new Metrics(8000))
    assert(cache.manifest(other).nonEmpty && cache.manifest(one).isEmpty, "evicted")
    cache.forgetAll()
    assert(cache.manifest(other).isEmpty && cache.size == 0)
    cache.keep(one, new Metrics(20000))
    assert(cache.manifest(one).isEmpty, "larger than the cache")
  }

  private val schema = new StructType().add("rows", LongType).add("s", StringType)

  /** @param files the names of the files that the log is known to have */
  private def facts(files: Int*): LogFacts = LogFacts(
    files.map(i => s"part-$i" -> InternalRow(i.toLong, UTF8String.fromString(s"text $i"))).toMap,
    schema,
    areOfAll = false
  )

  test("facts of a log are found by their table, version and columns, until the table is refreshed") {
    val cache = new FactsCache(1 << 20)
    val id = LogPartId("/t", "uuid", version = 3, committed = 5, what = Seq("rows: long"))
    cache.keep(id, facts(1, 2))
    assert(cache.log(id).contains(facts(1, 2)))
    val others = Seq(
      id.copy(table = "/u"),
      id.copy(id = "other"),
      id.copy(version = 4),
      id.copy(committed = 6),
      id.copy(what = Seq("rows: int"))
    )
    others.foreach(other => assert(cache.log(other).isEmpty, other))
    cache.forget(new Path("/u"))
    assert(cache.log(id).nonEmpty)
    cache.forget(new Path("/t"))
    assert(cache.log(id).isEmpty && cache.size == 0)
  }

  test("facts of a log are not cached if they are larger than the cache") {
    val many = facts(1 to 1000: _*)
    val id = LogPartId("/t", "uuid", version = 3, committed = 5, what = Nil)
    val small = new FactsCache(many.size.toLong)
    small.keep(id, many)
    assert(small.log(id).isEmpty)
    val enough = new FactsCache(2L * many.size)
    enough.keep(id, many)
    assert(enough.log(id).nonEmpty && enough.size > many.size)
  }

  test("the estimated size of facts of a log is approximately their size in memory") {
    val many = facts(1 to 1000: _*)
    // Boxed numbers, strings and arrays, with a map of all files.
    val ratio = many.size.toDouble / (SizeEstimator.estimate(many.ofFile) - SizeEstimator.estimate(Map.empty))
    assert(ratio > 0.6 && ratio < 1.7)
  }

  test("a file is removed by its path, and by the path of a directory above it") {
    val cache = new FactsCache(1 << 20)
    val files = Seq("/t/p=1/a", "/t/p=1/b", "/t/p=10/a", "/t2/a").map(file(_))
    def keepAll(): Unit = files.foreach(cache.keep(_, footer))
    keepAll()
    cache.forget(new Path("/t/p=1/a"))
    assert(files.map(has(cache, _)) == Seq(false, true, true, true))
    keepAll()
    cache.forget(new Path("/t/p=1"))
    assert(files.map(has(cache, _)) == Seq(false, false, true, true))
    keepAll()
    cache.forget(new Path("/t/"))
    assert(files.map(has(cache, _)) == Seq(false, false, false, true))
    cache.forget(new Path("/"))
    assert(files.map(has(cache, _)) == Seq(false, false, false, false))
    keepAll()
    cache.forgetAll()
    assert(cache.size == 0)
  }

  test("it never exceeds its maximum, and evicts the least recently used footers first") {
    val cache = new FactsCache(20000)
    val used = file("/used")
    cache.keep(used, footer)
    for (i <- 1 to 1000) {
      cache.keep(file(s"/t/$i"), footer)
      assert(has(cache, used))
      assert(cache.size <= 20000)
    }
    assert(has(cache, file("/t/1000")) && !has(cache, file("/t/1")))
  }

  test("with no memory nothing is cached") {
    val cache = new FactsCache(0)
    cache.keep(file("/t/a"), footer)
    assert(!has(cache, file("/t/a")) && cache.size == 0)
  }

  test("the estimated size of a footer is approximately its size in memory") {
    val fields = (0 until 20).map(i => s"optional int64 i$i; optional binary s$i (STRING);").mkString
    val row = (0 until 20).flatMap(i => Seq[Any](i.toLong, s"a text of some length $i"))
    val many = (0 until 50).foldLeft(ParquetFixture(fields))((file, _) => file.rowGroup(row))
    val path = status(many.write(folder.resolve("heavy.parquet")))
    val read = (0 until 20).flatMap(i => Seq(s"i$i", s"s$i"))
    for (
      columns <- Seq(
        FileColumns.All,
        FileColumns.named(Seq("i0", "s0")),
        FileColumns.named(Seq("i0", "s0"), read),
        FileColumns.named(Nil, read)
      )
    ) {
      val cache = new FactsCache(Long.MaxValue)
      val kept = cache.keep(path, new FooterReader(new Configuration()).read(path, columns))
      val shared =
        Seq[AnyRef](kept.schema, kept.places(0).map(_.path), kept.columns).map(SizeEstimator.estimate).sum
      val weight = SizeEstimator.estimate(kept) - shared
      val ratio = cache.size.toDouble / weight
      assert(ratio > 0.6 && ratio < 1.7, s"${cache.size} is told of $weight bytes")
    }
  }

  test("files of one schema share it") {
    val cache = new FactsCache(1 << 20)
    def another: Footer = RawFooter("required int32 a;").rowGroup(1, RawChunk.silent).footer
    val (a, b) = (cache.keep(file("/t/a"), another), cache.keep(file("/t/b"), another))
    assert(a.schema eq b.schema)
    assert(a.places(0).head.path eq b.places(0).head.path)
    def named = Footer.of(NarrowedFooter.of(
      RawFooter("required int32 a;").rowGroup(1, RawChunk.silent).metadata,
      FileColumns.named(Seq("a")),
      FooterSeal(1, 1)
    ))
    assert(cache.keep(file("/t/a"), named).columns eq cache.keep(file("/t/b"), named).columns)
  }
}
