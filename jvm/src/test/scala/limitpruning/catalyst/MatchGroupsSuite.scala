package limitpruning.catalyst

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.search.GroupsScan
import limitpruning.select.Reason
import limitpruning.testing.{SparkSuite, Wildlife}

class MatchGroupsSuite extends AnyFunSuite with SparkSuite {
  private lazy val table = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)
  private lazy val days = {
    val path = pathOf("days").toString
    if (!pathOf("days").toFile.exists)
      spark.range(12).selectExpr("id", "id % 3 AS k", "id % 4 AS day").write.partitionBy("day").parquet(path)
    spark.read.parquet(path)
  }

  private def sql(text: String): DataFrame = {
    table.createOrReplaceTempView("wildlife_groups")
    days.createOrReplaceTempView("days_groups")
    spark.sql(text.replace("$W", "wildlife_groups").replace("$D", "days_groups"))
  }

  private def of(df: => DataFrame): Option[Either[Reason, GroupsScan]] = {
    val Seq(found) = limitsOf(df).map(MatchGroups.of): @unchecked
    found
  }

  private def scan(text: String): GroupsScan = of(sql(text)).flatMap(_.toOption).get
  private def code(text: String): String = of(sql(text)).flatMap(_.left.toOption).fold("")(_.code)

  test("matches DISTINCT and GROUP BY without functions, with the keys over the relation's columns") {
    val found = scan("SELECT DISTINCT s + 1 AS t FROM $W WHERE s > 5 LIMIT 3")
    assert(found.areKeysAll && found.scan.limit == 3 && found.scan.conjuncts.nonEmpty)
    assert(found.keys.size == 1 && found.keys.forall(_.references.subsetOf(found.scan.table.leaf.outputSet)))
    assert(scan("SELECT 1, s FROM $W GROUP BY s, species LIMIT 2 OFFSET 3").keys.size == 2)
    assert(scan("SELECT 1, s FROM $W GROUP BY s, species LIMIT 2 OFFSET 3").scan.limit == 5)
  }

  test("line 63: with functions, only keys that depend on partition columns alone count") {
    val found = scan("SELECT k, day + 1, count(*) FROM $D WHERE id > 1 GROUP BY k, day + 1 LIMIT 2")
    assert(!found.areKeysAll && found.keys.size == 1)
    assert(found.scan.needed.map(_.name).toSet.contains("id"), "the filter stays")
    assert(code("SELECT k, count(*) FROM $D GROUP BY k LIMIT 2") == "groups-not-complete")
    assert(code("SELECT k + day, count(*) FROM $D GROUP BY k + day LIMIT 2") == "groups-not-complete")
    assert(code("SELECT s + max(s) FROM $W GROUP BY s LIMIT 2") == "groups-not-complete")
    val sessions =
      "SELECT s, session_window.start FROM $W GROUP BY s, session_window(timestamp_seconds(s), '2 minutes')"
    assert(code(s"$sessions LIMIT 2") == "groups-not-complete", "sessions of several rows are merged")
  }

  test("a group of which only functions of its keys are used consists of its keys") {
    assert(scan("SELECT s + 1, concat(s, 'x', s % 2) FROM $W GROUP BY s LIMIT 2").areKeysAll)
    assert(scan("SELECT (s + 1) * 2 FROM $W GROUP BY s + 1 LIMIT 2").areKeysAll)
  }

  test("line 64: a filter after the groups may pass any number of them") {
    assert(code("SELECT day, count(*) FROM $D GROUP BY day HAVING count(*) > 1 LIMIT 2") == "group-filter")
  }

  test("line 64: groups of other rows than those of the table are not pruned") {
    assert(code("SELECT day, k, count(*) FROM $D GROUP BY ROLLUP(day, k) LIMIT 2") == "operator-between")
    assert(code("SELECT DISTINCT x.day FROM $D x JOIN $W y ON x.id = y.s LIMIT 2") == "operator-between")
  }

  test("line 64: expressions that are not deterministic, and subqueries in keys or in the predicate") {
    assert(code("SELECT day, uuid() FROM $D GROUP BY day LIMIT 2") == "not-deterministic")
    assert(code("SELECT DISTINCT day FROM $D WHERE rand() > 0.5 LIMIT 2") == "not-deterministic")
    assert(code("SELECT DISTINCT day FROM $D WHERE id > (SELECT max(s) FROM $W) LIMIT 2") == "subquery")
    val blocks = days.select("_metadata.file_block_start").distinct().limit(2)
    assert(of(blocks).flatMap(_.left.toOption).map(_.code).contains("split-dependent"))
  }

  test("line 61: keys whose equality is not that of their bytes") {
    assert(code("SELECT DISTINCT species COLLATE UTF8_LCASE AS c FROM $W LIMIT 2") == "key-not-ordered")
    assert(code("SELECT DISTINCT struct(s) AS c FROM $W LIMIT 2") == "key-not-ordered")
    assert(code("SELECT CAST(day AS STRING) COLLATE UTF8_LCASE AS c, count(*) FROM $D GROUP BY 1 LIMIT 2") ==
      "groups-not-complete")
  }

  test("does not match one group of all rows, LIMIT 1 of DISTINCT, ORDER BY, and other sources") {
    assert(of(sql("SELECT * FROM (SELECT DISTINCT s FROM $W) ORDER BY s LIMIT 2")).isEmpty)
    assert(limitsOf(sql("SELECT DISTINCT s FROM $W LIMIT 1")).flatMap(MatchGroups.of).isEmpty)
    assert(limitsOf(sql("SELECT count(*) FROM $W LIMIT 2")).flatMap(MatchGroups.of).isEmpty)
    assert(of(spark.range(9).groupBy("id").count().limit(2)).isEmpty)
    assert(limitsOf(table.limit(5).distinct().limit(2)).flatMap(MatchGroups.of).isEmpty)
  }
}
