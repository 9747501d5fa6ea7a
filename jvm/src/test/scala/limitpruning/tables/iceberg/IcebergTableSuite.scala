package limitpruning.tables.iceberg

import java.lang.reflect.{InvocationHandler, Proxy}
import java.util.{Collections, List => JavaList, Set => JavaSet}

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{
  BaseFileScanTask, BaseTable, DataFile, DataFiles, PartitionSpec, PartitionSpecParser, ScanTask, Schema,
  SchemaParser
}
import org.apache.iceberg.expressions.{Expressions, ResidualEvaluator}
import org.apache.spark.sql.connector.catalog.{Table, TableCapability}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.footers.FactsCache

class IcebergTableSuite extends AnyFunSuite {
  import IcebergTableSuite._

  test("files are sorted only if they are needed") {
    val files = Seq("c.parquet", "a.parquet", "b.parquet").map(new WatchedFile(_))
    val relation = DataSourceV2Relation.create(new Other, None, None)
    val scan = new Planned(files.map(file => task(file.watched)))
    val Right(table) =
      IcebergTable.of(DataSourceV2ScanRelation(relation, scan, Nil), FactsCache.none): @unchecked
    assert(files.map(_.manifestsAsked).sum == 0)
    assert(table.files.map(_.path) == Seq("a.parquet", "b.parquet", "c.parquet"))
    assert(files.map(_.manifestsAsked).sum > 0)
  }
}

private object IcebergTableSuite {
  private val spec = PartitionSpec.unpartitioned()

  private def task(file: DataFile): ScanTask = {
    val residuals = ResidualEvaluator.unpartitioned(Expressions.alwaysTrue())
    new BaseFileScanTask(
      file,
      Array.empty,
      SchemaParser.toJson(new Schema()),
      PartitionSpecParser.toJson(spec),
      residuals
    )
  }

  /** A file that counts how often its manifest is asked for. */
  private final class WatchedFile(path: String) {
    var manifestsAsked = 0

    private val file =
      DataFiles.builder(spec).withPath(path).withFileSizeInBytes(10).withRecordCount(1).build()

    private val counting: InvocationHandler = (_, method, arguments) => {
      if (method.getName == "manifestLocation") manifestsAsked += 1
      method.invoke(file, arguments: _*)
    }

    val watched: DataFile = Proxy
      .newProxyInstance(getClass.getClassLoader, Array(classOf[DataFile]), counting)
      .asInstanceOf[DataFile]
  }

  /** The members of Iceberg's scan that [[ScanInternals]] needs. */
  private final class Planned(files: Seq[ScanTask]) extends Scan {
    val sparkContext: AnyRef = null
    val table: AnyRef = new BaseTable(null, "t")
    val readConf: AnyRef = null
    val projection: AnyRef = new Schema()
    val scan: AnyRef = null
    val fileIO: AnyRef = null
    def tasks: JavaList[ScanTask] = files.asJava
    override def readSchema: StructType = new StructType
  }

  private final class Other extends Table {
    override def name: String = "other"
    override def schema: StructType = new StructType
    override def capabilities: JavaSet[TableCapability] = Collections.emptySet
  }
}
