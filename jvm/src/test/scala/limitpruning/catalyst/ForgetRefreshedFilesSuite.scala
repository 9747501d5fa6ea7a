package limitpruning.catalyst

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import limitpruning.parquet.FileColumns
import limitpruning.report.SharedState
import limitpruning.testing.{ParquetFixture, SparkSuite}

class ForgetRefreshedFilesSuite extends AnyFunSuite with SparkSuite with Eventually {
  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(20, Seconds))

  private lazy val shared = spark.sessionState.optimizer.preCBORules.collectFirst {
    case rule: PruneLimits => rule.state
  }.getOrElse(SharedState.of(spark))

  private def kept(name: String): Boolean =
    shared.facts.footer(status(pathOf(s"$name/0.parquet")), FileColumns.named(Nil, read = Seq("a"))).nonEmpty

  private def look(name: String): Unit =
    reportsOf(spark.read.parquet(pathOf(name).toString).select("a").limit(1)).foreach(r => assert(r.covered))

  private lazy val tables = Seq("one", "two").foreach { name =>
    tableOf(name, "0.parquet" -> ParquetFixture("required int32 a;").rowGroup(Seq(1)))
  }

  test("footers are cached; REFRESH of a path removes the footers below it") {
    tables
    Seq("one", "two").foreach(look)
    assert(kept("one") && kept("two"))
    spark.sql(s"REFRESH '${pathOf("one")}'")
    assert(!kept("one") && kept("two"))
  }

  test("REFRESH TABLE removes the footers of that table") {
    tables
    spark.sql(s"CREATE TABLE refreshed (a INT) USING parquet LOCATION '${pathOf("one")}'")
    try {
      Seq("one", "two").foreach(look)
      spark.sql("REFRESH TABLE refreshed")
      assert(!kept("one") && kept("two"))
    } finally { val _ = spark.sql("DROP TABLE refreshed") }
  }

  test("REFRESH TABLE clears the cache if the files of the table may be at any location") {
    tables
    spark.read.parquet(pathOf("one").toString).createOrReplaceTempView("view_of_one")
    spark.sql("CREATE TABLE partitioned (a INT, b INT) USING parquet PARTITIONED BY (b)")
    try
      for (name <- Seq("view_of_one", "partitioned")) {
        Seq("one", "two").foreach(look)
        assert(kept("one") && kept("two"))
        spark.sql(s"REFRESH TABLE $name")
        assert(!kept("one") && !kept("two"), name)
      }
    finally { val _ = spark.sql("DROP TABLE partitioned") }
  }

  test("line 35: a file that has changed is removed from the cache, so that the query can be repeated") {
    tables
    def file(version: Int) =
      ParquetFixture("required int32 a;").rowGroup(Seq(version), Seq(version))
    val path = file(1).write(pathOf("changed/0.parquet"))
    val query = spark.read.parquet(pathOf("changed").toString).where("a = 1").limit(2)
    assert(query.collect().map(_.getInt(0)).toSeq == Seq(1, 1))
    val before = status(path)
    val _ = file(2).write(path)
    java.nio.file.Files.setLastModifiedTime(
      path,
      java.nio.file.attribute.FileTime.fromMillis(before.getModificationTime)
    )
    assert(status(path).getLen == before.getLen, "the test needs files of the same length")
    val again = spark.read.parquet(pathOf("changed").toString).where("a = 1").limit(2)
    val error = intercept[Exception](again.collect())
    assert(Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null)
      .exists(e => e.getMessage.contains("its footer is different")))
    // Spark reports failed tasks to listeners a little later.
    eventually(assert(shared.facts.footer(status(path), FileColumns.named(Seq("a"))).isEmpty))
    assert(spark.read.parquet(pathOf("changed").toString).where("a = 1").limit(2).collect().isEmpty)
  }
}
