package limitpruning.catalyst

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.search.TopRowsScan
import limitpruning.select.Reason
import limitpruning.testing.{SparkSuite, Wildlife}

class MatchTopRowsSuite extends AnyFunSuite with SparkSuite {
  private lazy val table = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)

  private def of(df: => DataFrame): Seq[Option[Either[Reason, TopRowsScan]]] =
    limitsOf(df).map(MatchTopRows.of)

  private def scan(df: => DataFrame): TopRowsScan = {
    val Seq(Some(Right(found))) = of(df): @unchecked
    found
  }
  private def declined(df: => DataFrame): Reason = {
    val Seq(Some(Left(reason))) = of(df): @unchecked
    reason
  }

  test(
    "matches the first key over the relation's columns, and all columns that the query reads"
  ) {
    val found = scan(table.where("s >= 50").selectExpr("s + 1 AS t").orderBy("t").limit(2))
    assert(found.order.first.sql == "(s + CAST(1 AS BIGINT)) ASC NULLS FIRST" ||
      found.order.first.sql == "(s + 1L) ASC NULLS FIRST")
    assert(found.order.first.references.subsetOf(found.scan.table.leaf.outputSet))
    assert(found.order.firstOverOutput.sql == "t ASC NULLS FIRST")
    assert(found.scan.limit == 2 && found.scan.conjuncts.nonEmpty)
    assert(found.scan.needed.map(_.name).toSet == Set("s"), "the filter stays")
  }

  test("matches a key that is not in the output, and the first of several keys") {
    val found = scan(table.orderBy(table("s").desc, table("species")).select("species").limit(2))
    assert(found.order.first.sql == "s DESC NULLS LAST" &&
      found.scan.needed.map(_.name).toSet == Set("species", "s"))
  }

  test("line 39: a LIMIT with OFFSET also needs the rows that OFFSET skips") {
    assert(scan(table.orderBy("s").offset(2).limit(3)).scan.limit == 5)
  }

  test("does not match a LIMIT without ORDER BY") {
    assert(of(table.limit(2)) == Seq(None))
    assert(of(table.where("s > 1").limit(2)) == Seq(None))
    assert(of(table.sortWithinPartitions("s").limit(2)) == Seq(None), "no global order")
  }

  test("line 38: the reason names the operator that needs all rows") {
    assert(declined(table.groupBy("species").count().orderBy("count").limit(1)) ==
      Reason.OperatorBetween("Aggregate"))
    val window = table.selectExpr("s", "count(*) OVER (PARTITION BY species) AS r").orderBy("s").limit(1)
    assert(declined(window) == Reason.OperatorBetween("Window"))
  }

  test("line 22: a LIMIT with a nondeterministic key, predicate or projection is not pruned") {
    for (
      df <- Seq(
        table.orderBy(org.apache.spark.sql.functions.rand(1)).limit(1),
        table.where("rand(1) > 0.5").orderBy("s").limit(1),
        table.selectExpr("s", "uuid() AS u").orderBy("s").limit(1)
      )
    ) assert(declined(df).code == "not-deterministic")
  }

  test("line 26: a LIMIT is not pruned if the key is not ordered by its bytes, or has no order") {
    assert(declined(table.selectExpr("species COLLATE UTF8_LCASE AS c").orderBy("c").limit(1)).code ==
      "key-not-ordered")
    assert(declined(table.selectExpr("struct(s) AS c").orderBy("c").limit(1)).code == "key-not-ordered")
  }

  test("LIMIT 0 and a LIMIT over other sources have no reason") {
    assert(of(table.orderBy("s").limit(0)).flatten.isEmpty)
    assert(of(spark.range(9).toDF("i").orderBy("i").limit(2)).flatten.isEmpty)
  }
}
