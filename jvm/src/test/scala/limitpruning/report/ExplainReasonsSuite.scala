package limitpruning.report

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SimpleMode
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.LimitPruningConf
import limitpruning.testing.{SparkSuite, Wildlife}

class ExplainReasonsSuite extends AnyFunSuite with SparkSuite {
  private val providers = "spark.sql.extendedExplainProviders"
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)

  private def told(df: DataFrame): Seq[String] =
    withConf(providers -> classOf[ExplainReasons].getName) {
      val lines = execution(df).explainString(SimpleMode).linesIterator.toSeq
      lines.dropWhile(_ != "== Extended Information (Limit Pruning) ==").drop(1).filter(_.nonEmpty)
    }

  test("a LIMIT that is left to Spark has one line with the reason and its code") {
    val Seq(line) = told(wildlife.where("s % 2 = 0").limit(1)): @unchecked
    assert(line.contains("/wildlife LIMIT 1: left to Spark: ") && line.endsWith("(not-enough-rows)"))
  }

  test("so has one that is not covered, and one with an order") {
    val Seq(line) = told(Wildlife.query(wildlife, limit = 4)): @unchecked
    assert(line.contains(" LIMIT 4: not covered: fully matching row groups and pages hold 3 rows"))
    val Seq(ordered) = told(wildlife.orderBy(org.apache.spark.sql.functions.rand()).limit(1)): @unchecked
    assert(ordered.endsWith("(not-deterministic)"))
  }

  test("every LIMIT of a query has its own, whatever stands above") {
    for (adaptive <- Seq("true", "false")) withConf("spark.sql.adaptive.enabled" -> adaptive) {
      val one = wildlife.where("s % 2 = 0").limit(1)
      val lines =
        told(one.union(Wildlife.query(wildlife, limit = 4).selectExpr("species", "1L")).groupBy("s").count())
      assert(lines.map(_.contains(": left to Spark: ")) == Seq(true, false), lines)
    }
  }

  test("where there is no reason, that is said") {
    assert(told(Wildlife.query(wildlife)) == Seq("Every LIMIT over Parquet is pruned."))
    assert(told(wildlife) == Seq("No LIMIT over Parquet."))
    assert(told(spark.range(3).limit(2).toDF()) == Seq("No LIMIT over Parquet."))
  }

  test("a session that starts with the setting tells reasons, beside what others tell") {
    assert(!spark.conf.getOption(providers).exists(_.contains("ExplainReasons")))
    withConf(LimitPruningConf.ExplainReasons.key -> "true", providers -> "another.Provider") {
      ExplainReasons.switchOn(spark)
      ExplainReasons.switchOn(spark)
      assert(spark.conf.get(providers) == "another.Provider,limitpruning.report.ExplainReasons")
    }
    withConf(providers -> "another.Provider") {
      ExplainReasons.switchOn(spark)
      assert(spark.conf.get(providers) == "another.Provider")
    }
  }
}
