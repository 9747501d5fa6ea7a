package limitpruning.tables

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.search.Table
import limitpruning.select.Reason
import limitpruning.testing.{SparkSuite, Wildlife}

class ParquetTableSuite extends AnyFunSuite with SparkSuite {
  import ParquetTableSuite._

  private def tablesIn(plan: LogicalPlan): Seq[Either[Reason, Table]] =
    plan.collect { case leaf: LeafNode => Tables.of(leaf) }.flatten

  private lazy val table =
    ParquetTable.of(optimized(tableOf("wildlife", "a.parquet" -> Wildlife.fixture))).get
  private def logical = table.leaf
  private def relation = table.relation

  private def unsupported(changed: HadoopFsRelation): Option[Reason] =
    new ParquetTable(logical, changed).unsupported
  private def withOptions(options: (String, String)*): HadoopFsRelation =
    relation.copy(options = relation.options ++ options)(relation.sparkSession)

  test("a table in Spark's own Parquet format is supported") {
    assert(unsupported(relation).isEmpty)
  }

  test("the first field of a node that is not listed is named") {
    val node = TwoFields("x", "y")
    assert(ScanContract.undecided(node, Seq("one", "other")).isEmpty)
    assert(ScanContract.undecided(node, Seq("one", "another")).contains("TwoFields.other"))
    assert(ScanContract.undecided(node, Seq("other", "another")).contains("TwoFields.one"))
    assert(ScanContract.undecided(node, Nil).contains("TwoFields.one"))
  }

  test("a relation with a field that is not listed is not supported") {
    assert(unsupported(new WiderRelation(relation)).contains(Reason.UnknownField("HadoopFsRelation.example")))
  }

  test("a table in another format is not a Parquet table") {
    spark.range(3).write.orc(pathOf("orc").toString)
    assert(tablesIn(optimized(spark.read.orc(pathOf("orc").toString))).isEmpty)
  }

  test("line 34: a table format that may hide rows of its Parquet files is matched, but not supported") {
    val format = relation.copy(fileFormat = new WithDeletionVectors)(relation.sparkSession)
    assert(ParquetTable.of(logical.copy(relation = format)).nonEmpty)
    assert(unsupported(format).contains(Reason.NotSparksParquet(classOf[WithDeletionVectors].getName)))
  }

  test("line 34: a file index of a table format is not supported") {
    val index = new SnapshotIndex(relation.location)
    assert(
      unsupported(relation.copy(location = index)(relation.sparkSession))
        .contains(Reason.NotSparksIndex(classOf[SnapshotIndex].getName))
    )
  }

  test("a third-party subclass of a Spark file index is not supported") {
    val index = new FilteredIndex(relation)
    assert(unsupported(relation.copy(location =
      index
    )(relation.sparkSession)).map(_.code).contains("other-file-index"))
  }

  test("line 42: a streaming source is not supported") {
    assert(new ParquetTable(
      logical.copy(isStreaming = true),
      relation
    ).unsupported.contains(Reason.Streaming))
  }

  test("line 76: a table that ignores missing or corrupt files, by its options or by the session") {
    def tolerates(relation: HadoopFsRelation) = {
      val table = new ParquetTable(logical.copy(relation = relation), relation)
      assert(table.unsupported.isEmpty)
      table.toleratesBadFiles
    }
    assert(tolerates(relation).isEmpty)
    for (name <- Seq("ignoreMissingFiles", "ignoreCorruptFiles")) {
      assert(tolerates(withOptions(name -> "true")).contains(Reason.ToleratesBadFiles(name)))
      assert(tolerates(withOptions(name.toLowerCase -> "true")).contains(Reason.ToleratesBadFiles(name)))
      withConf(s"spark.sql.files.$name" -> "true") {
        assert(tolerates(relation).contains(Reason.ToleratesBadFiles(name)))
        assert(tolerates(withOptions(name -> "false")).isEmpty, "the option overrides the session")
      }
    }
  }

  test("Parquet through data source V2 is matched, but not supported") {
    withConf("spark.sql.sources.useV1SourceList" -> "") {
      val plan = optimized(spark.read.parquet(pathOf("wildlife").toString))
      assert(tablesIn(plan) == Seq(Left(Reason.DataSourceV2("Spark"))))
    }
  }
}

private object ParquetTableSuite {
  final case class TwoFields(one: String, other: String)

  final class WiderRelation(of: HadoopFsRelation)
      extends HadoopFsRelation(
        of.location,
        of.partitionSchema,
        of.dataSchema,
        of.bucketSpec,
        of.fileFormat,
        of.options
      )(of.sparkSession) {
    override def productElementNames: Iterator[String] = super.productElementNames ++ Iterator("example")
  }

  final class WithDeletionVectors extends ParquetFileFormat

  final class SnapshotIndex(original: FileIndex) extends FileIndex {
    override def rootPaths: Seq[Path] = original.rootPaths
    override def listFiles(partitions: Seq[Expression], data: Seq[Expression]): Seq[PartitionDirectory] =
      original.listFiles(partitions, data)
    override def inputFiles: Array[String] = original.inputFiles
    override def refresh(): Unit = original.refresh()
    override def sizeInBytes: Long = original.sizeInBytes
    override def partitionSchema: StructType = original.partitionSchema
  }

  final class FilteredIndex(relation: HadoopFsRelation)
      extends InMemoryFileIndex(relation.sparkSession, relation.location.rootPaths, Map.empty, None)
}
