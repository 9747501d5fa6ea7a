package limitpruning.tables.iceberg

import java.nio.ByteBuffer
import java.nio.file.{Files, Path}
import java.util.concurrent.CountDownLatch

import scala.concurrent.duration.{Deadline, DurationInt}
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{
  BaseFileScanTask, DataFiles, FileScanTask, PartitionSpec, PartitionSpecParser, Schema, SchemaParser
}
import org.apache.iceberg.expressions.{Expressions, Literal, ResidualEvaluator}
import org.apache.iceberg.hadoop.HadoopFileIO
import org.apache.iceberg.io.InputFile
import org.apache.iceberg.types.Types.{IntegerType => IcebergInteger, NestedField}
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.footers.FactsCache
import limitpruning.parquet.{FileColumns, FooterReader}
import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, Values}
import limitpruning.search.{ManifestFacts, ManifestRowGroup}
import limitpruning.testing.{ParquetFixture, TempFolder}

class ReadRowGroupsSuite extends AnyFunSuite with TempFolder {
  private val schema = new Schema(
    NestedField.optional(1, "a", IcebergInteger.get),
    NestedField.optional(2, "b", IcebergInteger.get)
  )

  private def write(name: String, columns: String): Path =
    ParquetFixture(columns).rowGroup(Seq(1, 5), Seq(2, 6)).rowGroup(Seq(3, null), Seq(4, 8), Seq(5, 9))
      .write(folder.resolve(s"$name.parquet"))

  private lazy val file = write("ids", "optional int32 a = 1; optional int32 b = 2;")

  /** The offsets that Iceberg's writer puts into the manifest. */
  private def offsets(path: Path): Seq[Long] = {
    val footer = new FooterReader(new Configuration()).read(status(path), FileColumns.All)
    footer.rowGroups.map(_.getStartingPos)
  }

  private def task(
      path: Path,
      at: Seq[Long],
      rows: Long = 5,
      key: Option[ByteBuffer] = None,
      by: PartitionSpec = PartitionSpec.unpartitioned()
  ): FileScanTask = {
    val builder = DataFiles.builder(by).withPath(path.toString).withFileSizeInBytes(Files.size(path))
      .withRecordCount(rows).withSplitOffsets(if (at.isEmpty) null else at.map(Long.box).asJava)
    if (by.isPartitioned) builder.withPartitionPath("a=1")
    key.foreach(builder.withEncryptionKeyMetadata(_))
    val residuals = ResidualEvaluator.unpartitioned(Expressions.alwaysTrue())
    val spec = PartitionSpecParser.toJson(by)
    new BaseFileScanTask(builder.build(), Array.empty, SchemaParser.toJson(schema), spec, residuals)
  }

  private def read(task: FileScanTask, fields: (String, Int)*): Option[Seq[ManifestRowGroup]] =
    readFields(task, readsDefaults = true)(fields.map { case (name, id) =>
      NestedField.optional(id, name, IcebergInteger.get)
    }: _*)

  private def readFields(task: FileScanTask, readsDefaults: Boolean)(
      inTable: NestedField*
  ): Option[Seq[ManifestRowGroup]] = {
    val columns =
      inTable.map(field => LeafColumn(AttributeReference(field.name, IntegerType)(), Nil, IntegerType))
    val reader = new ReadRowGroups(
      new HadoopFileIO(new Configuration()),
      inTable.map(Some(_)).toIndexedSeq,
      columns.toIndexedSeq,
      readsDefaults,
      FactsCache.none
    )
    reader(Seq(task), 1.minute.fromNow).head
  }

  private def between(min: Int, max: Int, nulls: Nulls = Nulls.No): ColumnFacts =
    ColumnFacts(Values.Range(min, max), nulls)

  test("row groups have their rows, and facts about their columns") {
    val Some(Seq(first, second)) = read(task(file, offsets(file)), "a" -> 1, "b" -> 2): @unchecked
    assert((first.ordinal, first.rows, second.ordinal, second.rows) == ((0, 2L, 1, 3L)))
    assert(first.bytes > 0)
    assert(first.facts == Seq(ManifestFacts(between(1, 2), Some(0)), ManifestFacts(between(5, 6), Some(0))))
    assert(second.facts.head == ManifestFacts(between(3, 5), Some(0)))
    assert(second.facts(1) == ManifestFacts(between(8, 9, Nulls.Unknown), Some(1)))
  }

  test("line 75: columns are found by field ids, and a column that the file lacks is null") {
    val Some(Seq(first, _)) = read(task(file, offsets(file)), "b" -> 1, "a" -> 2, "c" -> 3): @unchecked
    assert(first.facts.map(_.known) == Seq(between(1, 2), between(5, 6), ColumnFacts.AllNull))
    assert(first.facts(2).nullCount.contains(2L))
  }

  private def withDefault(id: Int, value: Int, isRequired: Boolean = false): NestedField = {
    val builder = if (isRequired) NestedField.required("c") else NestedField.optional("c")
    builder.withId(id).ofType(IcebergInteger.get).withInitialDefault(Literal.of(value)).build()
  }

  test("line 91: a column that the file lacks has its default, if Iceberg's reader filters by it") {
    val known = task(file, offsets(file))
    def facts(readsDefaults: Boolean, field: NestedField): Seq[ManifestFacts] =
      readFields(known, readsDefaults)(field).get.map(_.facts.head)
    val constant = ManifestFacts(ColumnFacts.constant(34), Some(0L))
    assert(facts(true, withDefault(3, 34)) == Seq(constant, constant))
    assert(facts(true, withDefault(3, 34, isRequired = true)) == Seq(constant, constant))
    assert(facts(false, withDefault(3, 34)) == Seq(ManifestFacts.Unknown, ManifestFacts.Unknown))
    assert(
      facts(true, withDefault(1, 34)).map(_.known) == Seq(between(1, 2), between(3, 5)),
      "it is in the file"
    )
    val required = NestedField.required(3, "c", IcebergInteger.get)
    assert(facts(true, required).toSet == Set(ManifestFacts.Unknown), "Iceberg's reader fails")
  }

  test("line 91: also in a file of one row group, or without split offsets") {
    val one = ParquetFixture("optional int32 a = 1; optional int32 b = 2;").rowGroup(Seq(1, 5), Seq(2, 6))
      .write(folder.resolve("one.parquet"))
    for (at <- Seq(offsets(one), Nil)) {
      val Some(Seq(only)) = readFields(task(one, at, rows = 2), true)(withDefault(3, 34)): @unchecked
      assert((only.ordinal, only.rows, only.facts.head.known) == ((0, 2L, ColumnFacts.constant(34))))
    }
  }

  test("line 75: nothing in the file is about an identity partition") {
    val by = PartitionSpec.builderFor(schema).identity("a").build()
    val Some(Seq(first, _)) = read(task(file, offsets(file), by = by), "a" -> 1, "b" -> 2): @unchecked
    assert(first.facts.map(_.known) == Seq(ColumnFacts.Unknown, between(5, 6)))
  }

  test("line 74: the splits must be the row groups") {
    val Seq(one, two) = offsets(file): @unchecked
    assert(RowGroupTasks.of(task(file, Seq(one, two))).map(_.start) == Seq(one, two))
    assert(read(task(file, Seq(one, two)), "a" -> 1).nonEmpty)
    // A reader would read both row groups in the second split, then in the first, then one in the second of three.
    for (wrong <- Seq(Seq(one, one + 1), Seq(one, Files.size(file) - 1), Seq(one, one + 1, two), Seq(one)))
      assert(read(task(file, wrong), "a" -> 1).isEmpty, wrong)
    assert(read(task(file, Seq(one, two - 1)), "a" -> 1).nonEmpty, "each has the midpoint of one")
  }

  test("line 74: the footer must have the rows of the manifest, and a field id for each column") {
    for (rows <- Seq(0L, 4L, 6L))
      assert(read(task(file, offsets(file), rows), "a" -> 1).isEmpty)
    for (
      (columns, i) <-
        Seq("a; optional int32 b", "a = 1; optional int32 b", "a = 1; optional int32 b = 1").zipWithIndex
    ) {
      val other = write(s"other$i", s"optional int32 $columns;")
      assert(read(task(other, offsets(other)), "a" -> 1).isEmpty, columns)
    }
  }

  test("a file that cannot be read, or not in time, has no row groups") {
    val gone = write("gone", "optional int32 a = 1; optional int32 b = 2;")
    val missing = task(gone, offsets(gone))
    Files.delete(gone)
    assert(read(missing, "a" -> 1).isEmpty)
    val isOver = new CountDownLatch(1)
    val slow = new HadoopFileIO(new Configuration()) {
      override def newInputFile(path: String, length: Long): InputFile = {
        isOver.await()
        super.newInputFile(path, length)
      }
    }
    val late = new ReadRowGroups(slow, IndexedSeq.empty, IndexedSeq.empty, true, FactsCache.none)
    try assert(late(Seq(task(file, offsets(file))), Deadline.now + 10.millis) == Seq(None))
    finally isOver.countDown()
  }

  test("the manifest says how many row groups there may be") {
    assert(RowGroupTasks.count(task(file, offsets(file))) == 2)
    assert(RowGroupTasks.count(task(file, Nil)) == 1)
    assert(RowGroupTasks.count(task(file, offsets(file).reverse)) == 1)
    assert(RowGroupTasks.count(task(file, offsets(file), key = Some(ByteBuffer.wrap(Array[Byte](1))))) == 1)
  }
}
