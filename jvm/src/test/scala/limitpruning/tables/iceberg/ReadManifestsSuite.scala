package limitpruning.tables.iceberg

import java.lang.{Long => JavaLong}
import java.nio.ByteBuffer
import java.nio.file.{Files, Path => LocalPath}

import scala.concurrent.duration.{DurationInt, FiniteDuration}
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{DataFile, DataFiles, Metrics, PartitionSpec, Schema, Table}
import org.apache.iceberg.hadoop.HadoopTables
import org.apache.iceberg.types.Conversions
import org.apache.iceberg.types.Types.{IntegerType, NestedField}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.footers.FactsCache
import limitpruning.testing.TempFolder

class ReadManifestsSuite extends AnyFunSuite with TempFolder {
  private val fields = Seq(1, 2, 3)
  private val schema =
    new Schema(fields.map(id => NestedField.optional(id, s"c$id", IntegerType.get)).asJava)

  private def counts(count: Long): java.util.Map[Integer, JavaLong] =
    fields.map(id => Int.box(id) -> Long.box(count)).toMap.asJava

  private def bounds(value: Int): java.util.Map[Integer, ByteBuffer] =
    fields.map(id => Int.box(id) -> Conversions.toByteBuffer(IntegerType.get, value + id)).toMap.asJava

  private def file(name: String, value: Int): DataFile =
    DataFiles.builder(PartitionSpec.unpartitioned()).withPath(s"/data/$name.parquet").withFileSizeInBytes(9)
      .withSplitOffsets(Seq(4L, 5L).map(Long.box).asJava)
      .withMetrics(new Metrics(
        5L,
        null,
        counts(5),
        counts(0),
        null,
        bounds(value),
        bounds(value + 9)
      )).build()

  /** A table of two manifests, of two files each. The files do not exist. */
  private def write(name: String): Table = {
    val table = new HadoopTables(new Configuration()).create(schema, folder.resolve(name).toString)
    for (first <- Seq(10, 30)) {
      val files = Seq(first, first + 10).map(value => file(s"f$value", value))
      val append = table.newFastAppend()
      files.foreach(append.appendFile)
      append.commit()
    }
    table
  }

  private def planned(table: Table): Seq[DataFile] =
    table.newBatchScan().planFiles().asScala.map(_.asFileScanTask.file).toSeq.sortBy(_.location)

  private def read(
      table: Table,
      ids: Set[Int],
      cache: FactsCache,
      time: FiniteDuration = 1.hour
  ): DataFile => Option[DataFile] =
    new ReadManifests(table, table.newBatchScan(), ids, cache, time.fromNow).metrics

  private def lower(file: DataFile, id: Int): Option[Int] =
    Option(file.lowerBounds).flatMap(bounds => Option(bounds.get(id)))
      .map(Conversions.fromByteBuffer[Integer](IntegerType.get, _).intValue)

  private def removeManifests(table: Table): Unit =
    table.currentSnapshot.allManifests(table.io).asScala.foreach { manifest =>
      assert(Files.deleteIfExists(LocalPath.of(manifest.path.stripPrefix("file:"))))
    }

  test("each file has the metrics of the columns that are needed, and of no others") {
    val table = write("metrics")
    val metrics = read(table, Set(2), FactsCache.none)
    val found = planned(table).map(metrics(_).get)
    assert(found.map(lower(_, 2)) == Seq(12, 22, 32, 42).map(Some(_)))
    assert(found.flatMap(lower(_, 1)) == Nil)
    assert(found.map(_.nullValueCounts.get(2)) == Seq.fill(4)(0L))
    assert(found.map(_.splitOffsets.size) == Seq.fill(4)(2))
    assert(metrics(file("f10", 10)).isEmpty, "a file without a manifest")
  }

  test("a manifest is cached with the columns that were needed") {
    val table = write("cached")
    val files = planned(table)
    val cache = new FactsCache(1 << 20)
    val first = read(table, Set(1, 2), cache)
    files.foreach(file => assert(first(file).nonEmpty))
    val size = cache.size
    assert(size > 0)
    val wider = read(table, Set(3), cache)
    files.foreach(file => assert(wider(file).flatMap(lower(_, 3)).nonEmpty))
    assert(cache.size > size)
    removeManifests(table)
    for (ids <- Seq(Set(1), Set(2), Set(1, 2, 3))) {
      val again = read(table, ids, cache)
      for (file <- files; id <- ids)
        assert(again(file).flatMap(lower(_, id)).contains(file.location.filter(_.isDigit).toInt + id))
    }
    intercept[Exception](read(table, Set(1), FactsCache.none)(files.head))
    intercept[Exception](read(table, Set(9), cache)(files.head))
  }

  test("manifests are not read if no time is left, and are read again by the next query") {
    val table = write("late")
    val files = planned(table)
    val cache = new FactsCache(1 << 20)
    val late = read(table, Set(1), cache, 0.seconds)
    files.foreach(file => assert(late(file).isEmpty))
    val next = read(table, Set(1), cache)
    files.foreach(file => assert(next(file).nonEmpty))
    val cached = read(table, Set(1), cache, 0.seconds)
    files.foreach(file => assert(cached(file).nonEmpty, "what is in memory counts"))
  }

  test("a cancelled query ends while a manifest is read") {
    val table = write("cancelled")
    val metrics = read(table, Set(1), FactsCache.none)
    val first = planned(table).head
    Thread.currentThread.interrupt()
    val _ = intercept[InterruptedException](metrics(first))
    assert(!Thread.currentThread.isInterrupted)
  }

  test("the estimated size is approximately the size in memory") {
    val table = write("size")
    val cache = new FactsCache(1 << 20)
    val metrics = read(table, Set(1, 2), cache)
    val found = planned(table).map(metrics(_).get)
    val weight = org.apache.spark.util.SizeEstimator.estimate(found.toArray)
    val ratio = cache.size.toDouble / weight
    assert(ratio > 0.5 && ratio < 2, s"${cache.size} is told of $weight bytes")
  }
}
