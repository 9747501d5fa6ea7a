package limitpruning.search

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.catalyst.DecideLimit
import limitpruning.footers.FactsCache
import limitpruning.predicate.WorkCounts
import limitpruning.tables.SelectedRelation
import limitpruning.testing.{LatencyFileSystem, SparkSuite}

/** Bounds of what planning does for one LIMIT over tables that are extreme in one way. No test asserts a time. */
class WorkOfSearchSuite extends AnyFunSuite with SparkSuite {

  /** The work of the search, and the bytes that the planning thread allocates. */
  private def workOf(df: DataFrame, isRoot: Boolean = false): (WorkCounts, Long) = {
    val Seq(limit) = limitsOf(df): @unchecked
    val conf = spark.sessionState.conf
    // Without memory of what proved nothing before.
    def decide() = new DecideLimit(spark, FactsCache.none, conf)(limit, isRoot)
    decide(): Unit // loads classes
    val before = LatencyFileSystem.allocated
    val decided = decide()
    val allocated = LatencyFileSystem.allocated - before
    val counts = decided match {
      case Some(Left(refusal)) => refusal.counts
      case Some(Right(plan)) => plan.collectFirst { case SelectedRelation(_, index) => index.chosen.counts }
      case None => None
    }
    (counts.getOrElse(fail("nothing was searched")).work, allocated)
  }

  private def written(name: String, rows: DataFrame, options: (String, String)*): DataFrame = {
    rows.coalesce(1).write.options(options.toMap).parquet(pathOf(name).toString)
    spark.read.parquet(pathOf(name).toString)
  }

  private val MB = 1000L * 1000

  test("dictionaries of a million values are not decoded for predicates that only few values could decide") {
    val rows = spark.range(0, 1100000, 1, 1).selectExpr("id % 1000000 AS u", "id % 3 AS v")
    val table = written(
      "dictionaries",
      rows,
      "parquet.dictionary.page.size" -> "16777216",
      "parquet.page.row.count.limit" -> "1000000"
    )
    for (predicate <- Seq("u = 500001", "u % 7 = 9", "u <> 3 AND v % 2 = 1", "u IN (5, 500001) OR v > 5")) {
      val (work, allocated) = workOf(table.where(predicate).limit(10))
      assert(work.decoded <= 1000 && work.evaluated <= 100, predicate)
      assert(allocated < 4 * MB, predicate)
    }
  }

  test("two dictionaries without new values are the last ones that are read for groups") {
    val rows = spark.range(0, 1000000, 1, 1).selectExpr("hash(id) % 50 AS v", "id")
    val table = written("groups", rows, "parquet.block.size" -> "400000", "parquet.page.size" -> "10000")
    val (work, allocated) = workOf(table.select("v").distinct().limit(1000))
    assert(work.decoded == 3 * 99 && allocated < 4 * MB)
  }

  test("ten thousand pages are classified once, for all conjuncts together") {
    val rows = spark.range(0, 1000000, 1, 1).selectExpr("hash(id) % 1000 AS h", "hash(id, 1) % 5000 AS g")
    val table = written(
      "pages",
      rows,
      "parquet.page.row.count.limit" -> "100",
      "parquet.enable.dictionary" -> "false"
    )
    for (predicate <- Seq("h = 7", "h <> 7 AND g > 4", "h > 990 OR g IN (1, 2, 3)")) {
      val (work, allocated) = workOf(table.where(predicate).limit(10))
      assert(work.pages > 0 && work.pages <= 10000, predicate)
      assert(work.evaluated <= 10 * work.pages && allocated < 150 * MB, predicate)
    }
    val (work, _) = workOf(table.where("h + g = 12").limit(10))
    assert(work.pages == 0 && work.evaluated <= 50, "no rule decides a sum of ranges")
  }

  test("the dictionary of a row group is decoded once for all its pages") {
    val rows = spark.range(0, 1000000, 1, 1).selectExpr("id DIV 1000 AS h", "id DIV 500 AS g")
    val table = written("pages-of-dictionaries", rows, "parquet.page.row.count.limit" -> "1000")
    for ((predicate, values) <- Seq("h % 7 = 3" -> 1000, "h % 7 = 3 AND g % 5 = 2 AND h % 3 = 1" -> 3000)) {
      val (work, _) = workOf(table.where(predicate).limit(10))
      assert(work.pages >= 1000 && work.decoded > 0 && work.decoded <= values, predicate)
    }
  }

  test("ten thousand row groups") {
    val rows = spark.range(0, 20000, 1, 1).selectExpr("id AS a", "id % 7 + 3 * (id % 2) AS b")
    val table = written("row-groups", rows, "parquet.block.row.count.limit" -> "2")
    for (predicate <- Seq("a % 7 = 9", "a > 5000 AND b % 2 = 1", "a + b = 3", "a = 9990 AND b <> 5")) {
      val (work, allocated) = workOf(table.where(predicate).limit(10))
      assert(work.evaluated <= 60L * 10000 && allocated < 200 * MB, predicate)
      assert(work.footers == 1 && work.opened <= 4 && work.decoded <= 10000, predicate)
      assert(work.allocated > MB && work.allocated <= allocated, predicate)
    }
  }

  test("at the root, little is evaluated without a result, because the first task may find enough rows") {
    val rows = spark.range(0, 20000, 1, 1).selectExpr(
      "id",
      "id DIV 50 + abs(hash(id)) % 30 AS a",
      "abs(hash(id, 1)) % 30 AS b"
    )
    val table = written("root", rows, "parquet.block.row.count.limit" -> "50")
    // Each combination but a few has the same result, so many must be evaluated for each of 400 row groups.
    val query = table.where("(a * 64 + b * 3 + 5) % 1009 <> 7 AND (a * 31 + b) % 997 <> 3").limit(10)
    val (below, _) = workOf(query)
    assert(below.evaluated > 300 * 1000)
    val (root, _) = workOf(query, isRoot = true)
    assert(root.evaluated < 101 * 1000)
  }

  test("two thousand columns cost as much as those that the query uses") {
    val columns = (0 until 2000).map(i => s"(id + $i) % 7 AS c$i")
    val table = written("columns", spark.range(0, 1000, 1, 1).selectExpr("id" +: columns: _*))
    for (predicate <- Seq("c1999 = 9", "(c7 + c11) % 5 = 3", "id > 5 AND c1 <> 3")) {
      val (work, allocated) = workOf(table.where(predicate).select("id", "c7").limit(10))
      assert(work.evaluated <= 1000 && work.decoded <= 100 && allocated < 4 * MB, predicate)
    }
    val (all, allocated) = workOf(table.where("(c7 + c11) % 5 = 3").limit(10))
    assert(all.evaluated <= 1000 && allocated < 20 * MB)
    val (groups, ofGroups) = workOf(table.distinct().limit(5))
    assert(groups.evaluated <= 10000 && groups.decoded <= 20000 && ofGroups < 100 * MB)
  }

  test("predicates over many columns of few values are undecided soon, and can be explained") {
    val flags = (0 until 66).map(i => s"id % ${i + 2} = 0 AS f$i")
    val numbers = (0 until 25).map(i => s"id * ${i + 3} % 8 AS q$i")
    val large = (0 until 11).map(i => s"id * ${i + 3} % 64 AS r$i")
    val dictionaries = (0 until 20).map(i => s"id * ${i + 3} % 400 * 2 AS d$i")
    val columns = "id" +: (flags ++ numbers ++ large ++ dictionaries)
    val table = written("few-values", spark.range(0, 20000, 1, 1).selectExpr(columns: _*))
    def all(name: String, count: Int)(join: String) = (0 until count).map(i => s"$name$i").mkString(join)
    for (
      predicate <- Seq(
        s"(${all("f", 64)(" OR ")})",
        s"NOT (${all("f", 66)(" AND ")})",
        s"${all("q", 22)(" + ")} > 100",
        s"${all("r", 11)(" + ")} > 300",
        s"greatest(${all("q", 25)(", ")}) = 5",
        (0 until 20).map(i => s"d$i = ${2 * i}").mkString("(", " OR ", ")")
      )
    ) {
      val query = table.where(s"$predicate AND id <> 5").limit(10)
      val (work, allocated) = workOf(query)
      assert(work.evaluated <= 1000 && allocated < 10 * MB, predicate)
      query.createOrReplaceTempView("few_values")
      assert(spark.sql("EXPLAIN SELECT * FROM few_values").head().getString(0).contains("Limit"), predicate)
    }
  }

  test("lists of ten thousand values, five hundred conjuncts and a CASE of a hundred branches") {
    val rows = spark.range(0, 100000, 1, 1).selectExpr("id", "hash(id) % 1000 AS h", "id % 100 AS g")
    val table = written("long", rows, "parquet.block.row.count.limit" -> "1000")
    val branches = (0 until 100).map(i => s"WHEN h = $i THEN ${i + 1}").mkString(" ")
    for (
      (predicate, most) <- Seq(
        (0 until 20000 by 2).mkString("h IN (", ", ", ")") -> 300L,
        (0 until 500).map(i => s"h <> ${-1 - i}").mkString(" AND ") + " AND h % 2 = 1" -> 250000L,
        s"CASE $branches ELSE 0 END = 50" -> 30000L,
        (0 until 1000).map(i => s"(g = ${i % 90} AND h > $i)").mkString("(", " OR ", ")") -> 2500000L
      )
    ) {
      val (work, allocated) = workOf(table.where(predicate).limit(10))
      assert(work.evaluated <= most, predicate.take(50))
      assert(allocated < 150 * MB, predicate.take(50))
    }
  }
}
