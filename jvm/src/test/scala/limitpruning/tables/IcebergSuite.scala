package limitpruning.tables

import java.util.{Collections, Set => JavaSet}

import org.apache.spark.sql.connector.catalog.{Table, TableCapability}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.footers.FactsCache

class IcebergSuite extends AnyFunSuite {
  import IcebergSuite._

  test("iceberg-version, if a scan lacks a member that is found by its name") {
    val relation = DataSourceV2Relation.create(new Other, None, None)
    val Left(reason) = Iceberg.supported(
      DataSourceV2ScanRelation(relation, new Renamed, Nil),
      FactsCache.none
    ): @unchecked
    assert(reason.code == "iceberg-version")
    assert(reason.message.contains("Renamed.tasks"))
  }
}

private object IcebergSuite {
  private class Other extends Table {
    override def name: String = "other"
    override def schema: StructType = new StructType
    override def capabilities: JavaSet[TableCapability] = Collections.emptySet
  }

  private class Renamed extends Scan {
    override def readSchema: StructType = new StructType
  }
}
