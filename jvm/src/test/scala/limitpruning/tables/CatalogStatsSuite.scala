package limitpruning.tables

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog._
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

class CatalogStatsSuite extends AnyFunSuite {
  private val stats = CatalogStatistics(BigInt(7), Some(BigInt(3)))
  private val table = CatalogTable(
    TableIdentifier("t", Some("d")),
    CatalogTableType.MANAGED,
    CatalogStorageFormat.empty,
    new StructType().add("a", "int"),
    comment = Some("a table")
  )

  test("sets the statistics, and keeps all other fields") {
    val other = CatalogStats.replaceIn(table, stats)
    assert(other.stats.contains(stats))
    assert(other.copy(stats = None) == table)
  }

  test("replaces existing statistics") {
    val analyzed = table.copy(stats = Some(CatalogStatistics(BigInt(1))))
    assert(CatalogStats.replaceIn(analyzed, stats) == table.copy(stats = Some(stats)))
  }
}
