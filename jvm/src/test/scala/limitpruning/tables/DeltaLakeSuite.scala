package limitpruning.tables

import org.apache.spark.sql.delta.DeltaParquetFileFormat
import org.apache.spark.sql.delta.actions.{Metadata, Protocol}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.search.Table
import limitpruning.select.Reason
import limitpruning.testing.{SparkSuite, Wildlife}

class DeltaLakeSuite extends AnyFunSuite with SparkSuite {
  import DeltaLakeSuite._

  private lazy val parquet =
    ParquetTable.of(optimized(tableOf("wildlife", "a.parquet" -> Wildlife.fixture))).get

  private def inFormatOfDelta: HadoopFsRelation =
    parquet.relation.copy(fileFormat = DeltaParquetFileFormat(Protocol(), Metadata()))(
      parquet.relation.sparkSession
    )

  test("a table in Spark's own format is not Delta's") {
    assert(DeltaLake.table(parquet.leaf, parquet.relation).isEmpty)
  }

  test("a table in Delta's format whose files another index lists is not supported") {
    val Some(Right(table)) = DeltaLake.table(parquet.leaf, inFormatOfDelta): @unchecked
    assert(table.unsupported.map(_.code).contains("other-file-index"))
  }

  test("a Delta Lake without a class that is needed is a version that is not supported") {
    for (missing <- Seq("DeltaParquetFileFormat", "stats.PreparedDeltaFileIndex")) {
      val loader = new WithoutClass(s"org.apache.spark.sql.delta.$missing", getClass.getClassLoader)
      val found = loader.table(parquet.leaf, inFormatOfDelta)
      assert(found.exists(_.left.exists(_.code == "delta-version")), s"$missing: $found")
    }
  }
}

private object DeltaLakeSuite {

  /** Loads the classes for Delta tables once more, for a version of Delta Lake that lacks a class. */
  final class WithoutClass(missing: String, parent: ClassLoader) extends ClassLoader(parent) {
    private val own = Seq("limitpruning.tables.DeltaLake", "limitpruning.tables.delta.")

    def table(leaf: LogicalRelation, files: HadoopFsRelation): Option[Either[Reason, Table]] = {
      val module = loadClass(DeltaLake.getClass.getName)
      module.getMethod("table", classOf[LogicalRelation], classOf[HadoopFsRelation])
        .invoke(module.getField("MODULE$").get(null), leaf, files)
        .asInstanceOf[Option[Either[Reason, Table]]]
    }

    override def loadClass(name: String, resolve: Boolean): Class[_] = getClassLoadingLock(name).synchronized {
      if (name == missing) throw new ClassNotFoundException(name)
      else if (own.exists(name.startsWith))
        Option(findLoadedClass(name)).getOrElse {
          val file = getParent.getResourceAsStream(name.replace('.', '/') + ".class")
          val bytes =
            try file.readAllBytes()
            finally file.close()
          defineClass(name, bytes, 0, bytes.length)
        }
      else super.loadClass(name, resolve)
    }
  }
}
