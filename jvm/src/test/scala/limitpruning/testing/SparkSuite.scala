package limitpruning.testing

import java.nio.file.{Files, Path}

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan}
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.scalatest.Suite

import limitpruning.LimitPruningExtensions
import limitpruning.conf.LimitPruningConf
import limitpruning.report.{DescribeQuery, LimitReport}
import limitpruning.scan.LimitPrunedScanExec

/**
 * A suite with the one local Spark session of the test run. The extension is on, and its errors fail the
 * query.
 */
trait SparkSuite extends TempFolder with AdaptiveSparkPlanHelper { this: Suite =>
  protected def spark: SparkSession = SparkSuite.session

  /** Runs `body` with other settings of the session, and restores them. */
  protected def withConf[T](settings: (String, String)*)(body: => T): T = {
    val before = settings.map { case (key, _) => key -> spark.conf.getOption(key) }
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally
      before.foreach {
        case (key, Some(value)) => spark.conf.set(key, value)
        case (key, None) => spark.conf.unset(key)
      }
  }

  protected def withoutPruning[T](body: => T): T = withConf(LimitPruningConf.Enabled.key -> "false")(body)

  /** Writes the files into a folder of this name, and reads the folder as one table. */
  protected def tableOf(name: String, files: (String, ParquetFixture)*): DataFrame = {
    files.foreach { case (file, fixture) => fixture.write(pathOf(s"$name/$file")) }
    spark.read.parquet(pathOf(name).toString)
  }

  protected def pathOf(name: String): Path = {
    val path = folder.resolve(name)
    Files.createDirectories(path.getParent)
    path
  }

  protected def execution(df: DataFrame): QueryExecution = df.asInstanceOf[Dataset[Row]].queryExecution

  protected def optimized(df: DataFrame): LogicalPlan = execution(df).optimizedPlan
  protected def planned(df: DataFrame): SparkPlan = execution(df).executedPlan

  /** The limits of the query as the rule receives them. */
  protected def limitsOf(df: => DataFrame): Seq[LocalLimit] =
    withoutPruning(optimized(df)).collect { case limit: LocalLimit => limit }

  protected def scansOf(df: DataFrame): Seq[LimitPrunedScanExec] =
    collectWithSubqueries(planned(df)) { case scan: LimitPrunedScanExec => scan }

  protected def reportsOf(df: DataFrame): Seq[LimitReport] =
    DescribeQuery(execution(df), mostRowGroups = 100).limits

  /** The reason for which the query's only LIMIT over Parquet was not pruned. */
  protected def reasonOf(df: DataFrame): Option[String] = {
    val Seq(report) = reportsOf(df): @unchecked
    report.reason.map(_.code)
  }

  /** The rows with pruning and without, both of the expected number. */
  protected def rowsBothWays(df: => DataFrame): (Seq[Row], Seq[Row]) =
    (df.collect().toSeq, withoutPruning(df.collect().toSeq))
}

object SparkSuite {

  lazy val session: SparkSession = {
    val scratch = Files.createTempDirectory("limit-pruning-spark-").toString
    SparkSession
      .builder()
      .master("local[2]")
      .appName("limit-pruning-tests")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.warehouse.dir", s"$scratch/warehouse")
      .config("spark.sql.extensions", classOf[LimitPruningExtensions].getName)
      .config(LimitPruningConf.FailOnError.key, "true")
      // Most suites test planning, with the simplest of LIMITs. TakeFirstRowsExecSuite tests the default.
      .config(LimitPruningConf.AtRoot.key, "true")
      .config("spark.sql.session.timeZone", "UTC")
      .getOrCreate()
  }
}
