package limitpruning.scan

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.collection.mutable

import org.apache.spark.SparkEnv
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.LimitPruningConf
import limitpruning.testing.{ParquetFixture, SparkSuite}

/** Data that only planning needs are not sent to executors: no plan, no relation, no listing. */
class ClosuresSuite extends AnyFunSuite with SparkSuite {
  private lazy val table = {
    for (day <- 1 to 3) {
      val file = (0 until 4).foldLeft(ParquetFixture("optional int32 a; optional binary s (STRING);")) {
        (f, i) =>
          f.rowGroup((0 until 10).map(row => Seq[Any](i * 10 + row, s"name-$row")): _*)
      }
      file.write(pathOf(s"closures/day=$day/f.parquet"))
    }
    val table = spark.read.parquet(pathOf("closures").toString)
    table.createOrReplaceTempView("closures")
    table
  }

  private val onDriverAlone = Seq(
    "org.apache.spark.sql.catalyst.plans.logical",
    "org.apache.spark.sql.execution.datasources.LogicalRelation",
    "org.apache.spark.sql.execution.datasources.HadoopFsRelation",
    "org.apache.spark.sql.execution.datasources.InMemoryFileIndex",
    "org.apache.spark.sql.catalyst.catalog",
    "org.apache.spark.sql.execution.FileSourceScanExec",
    "limitpruning.tables.SelectedFileIndex",
    "limitpruning.search.InspectedRowGroups",
    "limitpruning.select.Selection",
    "limitpruning.parquet.FactsCache"
  )

  /** All RDDs below one, with their closures. */
  private def lineage(rdd: RDD[_]): Seq[RDD[_]] = {
    val seen = mutable.LinkedHashSet.empty[RDD[_]]
    def visit(rdd: RDD[_]): Unit = if (seen.add(rdd)) rdd.dependencies.foreach(d => visit(d.rdd))
    visit(rdd)
    seen.toSeq
  }

  private def text(value: AnyRef): String = {
    val bytes = SparkEnv.get.closureSerializer.newInstance().serialize(value)
    new String(bytes.array, bytes.arrayOffset, bytes.limit(), ISO_8859_1)
  }

  private def sent(df: DataFrame): Seq[String] = {
    val rdd = planned(df).execute()
    text(rdd) +: lineage(rdd).flatMap(_.partitions).map(text(_))
  }

  private val queries = Seq(
    "SELECT * FROM closures LIMIT 5",
    "SELECT s FROM closures WHERE a >= 20 LIMIT 5",
    "SELECT * FROM closures WHERE a >= 35 AND a % 7 = 1 AND day > 1 LIMIT 50",
    "SELECT * FROM closures WHERE a >= 20 AND day = (SELECT max(day) FROM closures) LIMIT 50",
    "SELECT *, (SELECT max(a) FROM closures) FROM closures WHERE a >= 20 LIMIT 50",
    "SELECT * FROM closures WHERE a > (SELECT min(a) FROM closures) AND a >= 20 LIMIT 50",
    "SELECT a, s FROM closures WHERE s <> 'name-3' ORDER BY a DESC LIMIT 3",
    s"SELECT a, _metadata.file_path FROM parquet.`${pathOf("closures")}` WHERE a >= 30 ORDER BY day LIMIT 3",
    "SELECT count(*) FROM (SELECT * FROM closures WHERE a < 15 LIMIT 20)",
    "SELECT * FROM closures WHERE a >= 20 LIMIT 4 OFFSET 3"
  )

  for (
    (adaptive, maxFiles, vectorized) <-
      Seq(("true", "1", "true"), ("false", "1000", "true"), ("false", "1", "false"))
  )
    test(s"adaptive $adaptive, maxFiles $maxFiles, vectorized $vectorized") {
      table
      withConf(
        "spark.sql.adaptive.enabled" -> adaptive,
        LimitPruningConf.MaxFiles.key -> maxFiles,
        "spark.sql.parquet.enableVectorizedReader" -> vectorized
      ) {
        val scans = queries.map { query =>
          val df = spark.sql(query)
          // Spark itself sends its scan node, and plans of subqueries in a projection.
          val plain = withoutPruning(sent(spark.sql(query)))
          for (name <- onDriverAlone if !plain.exists(_.contains(name))) {
            val isSent = sent(df).exists(_.contains(name))
            assert(!isSent, s"$name is sent for $query")
          }
          scansOf(df).size
        }
        assert(scans.sum >= 5)
      }
    }

  test("the test finds a plan that is sent") {
    val plan = LocalRelation(table.schema)
    val leaking = planned(spark.sql("SELECT * FROM closures LIMIT 5"))
      .execute()
      .map(row => (row.numFields, plan.output.size))
    assert(text(leaking).contains(onDriverAlone.head))
  }
}
