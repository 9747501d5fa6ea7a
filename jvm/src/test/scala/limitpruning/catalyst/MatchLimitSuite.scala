package limitpruning.catalyst

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{Add, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.search.{LimitedScan, Table}
import limitpruning.select.Reason
import limitpruning.testing.{SparkSuite, Wildlife}

class MatchLimitSuite extends AnyFunSuite with SparkSuite {
  private lazy val table = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)

  private def of(df: => DataFrame): Seq[Option[Either[Reason, LimitedScan[Table]]]] =
    limitsOf(df).map(MatchLimit.of)

  private def scan(df: => DataFrame): LimitedScan[Table] = {
    val Seq(Some(Right(found))) = of(df): @unchecked
    found
  }
  private def declined(df: => DataFrame): Reason = {
    val Seq(Some(Left(reason))) = of(df): @unchecked
    reason
  }

  test("matches the rows, conjuncts and relation of a LIMIT over projections and filters") {
    val found = scan(Wildlife.query(table))
    assert(found.limit == 3)
    val text = found.conjuncts.map(_.sql).sorted.mkString("; ")
    assert(
      text == "(s >= 50L); (s IS NOT NULL); (species IS NOT NULL); species LIKE 'Alpine%'" ||
        text.contains("startswith(species, 'Alpine')"),
      text
    )
    assert(found.table.output.map(_.name) == Seq("species", "s"))
  }

  test("conjuncts use the relation's columns, even if a projection renames or computes columns") {
    val renamed = table.selectExpr("s + 1 AS t", "species AS name").where("t > 51 AND name > 'B'").limit(2)
    val found = scan(renamed)
    assert(found.conjuncts.nonEmpty)
    assert(found.conjuncts.forall(_.references.subsetOf(found.table.leaf.outputSet)))
  }

  test("a LIMIT without a predicate has no conjuncts") {
    assert(scan(table.limit(2)).conjuncts == Nil)
  }

  test("line 39: a LIMIT with OFFSET also needs the rows that OFFSET skips") {
    assert(scan(table.offset(2).limit(3)).limit == 5)
  }

  test(
    "line 39: each branch of a UNION ALL and the preserved side of an outer join have their own LIMIT"
  ) {
    val union = of(table.where("s > 5").union(table).limit(2)).flatten.collect { case Right(found) =>
      found.limit
    }
    assert(union == Seq(2, 2))
    val join = of(table.join(table.select("species"), Seq("species"), "left_outer").limit(4)).flatten
    assert(join.collect { case Right(found) => found.limit } == Seq(4))
  }

  test("line 38: a LIMIT over operators that need all rows is not pruned") {
    val needy = Map(
      "Aggregate" -> table.groupBy("species").count().limit(1),
      "Join" -> table.join(table.withColumnRenamed("s", "t"), "species").limit(1),
      "Window" -> table.selectExpr("count(*) OVER (PARTITION BY species) AS r").limit(1),
      "Generate" -> table.selectExpr("explode(array(s, s)) AS e").limit(1),
      "Sample" -> table.sample(0.5, 1L).limit(1)
    )
    for ((operator, df) <- needy)
      assert(of(df).flatten.contains(Left(Reason.OperatorBetween(operator))), operator)
    assert(of(table.orderBy("s").limit(1)).flatten.collect { case Right(found) => found } == Nil)
    assert(of(table.distinct().limit(2)).flatten.collect { case Right(found) => found } == Nil)
  }

  test("line 22: a LIMIT over a nondeterministic predicate or projection is not pruned") {
    assert(declined(table.where("rand(1) > 0.5").limit(1)).code == "not-deterministic")
    assert(declined(table.where("s > 1 OR hash(uuid()) % 2 = 0").limit(1)).code == "not-deterministic")
    assert(declined(table.selectExpr("monotonically_increasing_id()").limit(1)).code == "not-deterministic")
  }

  test("line 22: the reason for a predicate on a nondeterministic column is not-deterministic") {
    assert(declined(table.selectExpr("rand(1) AS r").where("r > 0.5").limit(1)).code == "not-deterministic")
  }

  test("LIMIT 0 and a LIMIT over other formats have no reason") {
    assert(of(spark.range(10).toDF().limit(2)) == Seq(None))
    table.write.json(pathOf("json").toString)
    assert(of(spark.read.json(pathOf("json").toString).limit(2)) == Seq(None))
    val child = limitsOf(table.limit(2)).head.child
    assert(MatchLimit.of(LocalLimit(Literal(0), child)).isEmpty)
  }

  test("a LIMIT that is not a constant is not pruned") {
    val child = limitsOf(table.limit(2)).head.child
    val computed = LocalLimit(Add(Literal(1), Literal(1)), child)
    assert(MatchLimit.of(computed).contains(Left(Reason.LimitNotConstant)))
  }

  test("a LIMIT over Parquet through data source V2 is not pruned") {
    val reason = withConf("spark.sql.sources.useV1SourceList" -> "") {
      declined(spark.read.parquet(pathOf("wildlife").toString).where("s > 5").limit(1))
    }
    assert(reason == Reason.DataSourceV2("Spark"))
  }
}
