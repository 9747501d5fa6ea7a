package limitpruning.report

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{SparkSuite, Wildlife}

class InspectionSuite extends AnyFunSuite with SparkSuite {
  private lazy val two = tableOf("two", "a.parquet" -> Wildlife.fixture, "b.parquet" -> Wildlife.fixture)
  private val bridge = new ReportBridge

  private def inspect(df: DataFrame): Inspection = bridge.inspect(execution(df), spark)
  private def json(look: Inspection): JsonNode = new ObjectMapper().readTree(look.result)

  /** A number, by its group and name. */
  private def count(look: Inspection, path: String): Int = json(look).at(path).asInt

  test("it continues file by file, and returns the results so far") {
    val look = inspect(Wildlife.query(two))
    assert(look.files == 2 && count(look, "/files/inspected") == 0)
    assert(look.inspect(1) == 1 && count(look, "/row_groups/total") == 4)
    assert(look.inspect(100) == 2 && look.inspect(1) == 2)
    val all = json(look)
    val rowGroups = Seq("total", "matched", "fully_matched").map(name => count(look, s"/row_groups/$name"))
    assert(rowGroups == Seq(8, 6, 2) && count(look, "/rows/total") == 24 && count(look, "/rows/proved") == 6)
    assert(all.at("/row_groups/details").size == 8 && count(look, "/row_groups/bytes") > 0)
    assert(all.get("columns").size == 2 && all.get("columns").get(0).get("with_min_max").asInt == 8)
  }

  test("the rows that the LIMIT reads are reported, and marked in the map") {
    val look = inspect(Wildlife.query(two))
    look.inspect(2)
    val limit = json(look).get("report")
    assert(limit.get("covered").asBoolean && limit.at("/row_groups/scanned").asInt == 1)
    val scanned = (0 until 8).filter(json(look).at("/row_groups/details").get(_).get("scanned").asBoolean)
    assert(scanned == Seq(2))
    val declined = inspect(two.where("s % 2 = 0").limit(3))
    assert(json(declined).get("report").get("reason").get("code").asText.nonEmpty)
  }

  test("it inspects the table even if pruning is switched off") {
    withoutPruning(assert(json(inspect(Wildlife.query(two))).get("report").get("covered").asBoolean))
  }

  test("if there is nothing to inspect, the error contains the reason") {
    def problem(df: DataFrame): String = intercept[IllegalArgumentException](inspect(df)).getMessage
    assert(problem(two.where("false").limit(1)).contains("false for every row"))
    assert(problem(spark.range(3).toDF().limit(1)).contains("no Parquet"))
    assert(problem(two.where("rand() > 0.5").limit(1)).contains("not deterministic"))
  }
}
