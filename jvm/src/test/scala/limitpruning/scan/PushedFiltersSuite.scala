package limitpruning.scan

import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.sources.{GreaterThan, IsNotNull}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{ParquetFixture, SparkSuite}

class PushedFiltersSuite extends AnyFunSuite with SparkSuite {
  private lazy val table =
    tableOf("table", "0.parquet" -> ParquetFixture("optional int32 a; optional int32 b;").rowGroup(Seq(1, 2)))

  private def pushed(where: String) = {
    val Seq(scan) = withoutPruning(collectWithSubqueries(planned(table.where(where))) {
      case scan: FileSourceScanExec => scan
    }): @unchecked
    PushedFilters.of(scan)
  }

  test("are the filters that Spark pushes to its reader") {
    assert(pushed("a > 3") == Seq(IsNotNull("a"), GreaterThan("a", 3)))
    assert(pushed("a + b > 3").forall(_.isInstanceOf[IsNotNull]))
  }

  test("do not contain subqueries, and metadata of files") {
    assert(pushed("a > 3 AND b > (SELECT max(a) FROM VALUES (1) AS v(a))").contains(GreaterThan("a", 3)))
    assert(pushed("a > 3 AND _metadata.file_size > 1") == Seq(IsNotNull("a"), GreaterThan("a", 3)))
  }
}
