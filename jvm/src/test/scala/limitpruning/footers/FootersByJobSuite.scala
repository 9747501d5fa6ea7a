package limitpruning.footers

import java.nio.file.Files
import java.util.concurrent.{ConcurrentLinkedQueue, TimeoutException}

import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.SparkException
import org.apache.spark.scheduler._
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import limitpruning.parquet.{FileColumns, UnreadableFooterException}
import limitpruning.testing.{ParquetFixture, SparkSuite, StallingFileSystem}

class FootersByJobSuite extends AnyFunSuite with SparkSuite with Eventually {
  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(20, Seconds))

  private lazy val files: Seq[FileStatus] = (1 to 70).map { rows =>
    val fixture = ParquetFixture("required int32 a; required int32 b;")
      .rowGroup((0 until rows).map(Seq(_, 1)): _*)
    status(fixture.write(folder.resolve(s"$rows.parquet")))
  }

  /** The text that the Spark UI shows for jobs that started while `body` ran. */
  private final class Jobs extends SparkListener {
    val started = new ConcurrentLinkedQueue[SparkListenerJobStart]
    val ended = new ConcurrentLinkedQueue[SparkListenerJobEnd]
    override def onJobStart(start: SparkListenerJobStart): Unit = { val _ = started.add(start) }
    // The end of an earlier test's job may come late.
    override def onJobEnd(end: SparkListenerJobEnd): Unit =
      if (started.asScala.exists(_.jobId == end.jobId)) { val _ = ended.add(end) }
  }

  private def watched[T](body: Jobs => T): T = {
    val jobs = new Jobs
    spark.sparkContext.addSparkListener(jobs)
    try body(jobs)
    finally spark.sparkContext.removeSparkListener(jobs)
  }

  private def begin(
      files: Seq[FileStatus],
      cache: FactsCache = FactsCache.none,
      conf: Configuration = new Configuration()
  ): FootersUnderWay =
    new FootersByJob(spark.sparkContext, conf, cache, "animals", threads = 4)
      .begin(files.map(FooterToRead(_, FileColumns.named(Seq("a"), read = Seq("a")))))

  private def rows(underWay: FootersUnderWay, index: Int): Long =
    underWay.await(index, 1.minute).rowGroups.map(_.getRowCount).sum

  test("footers arrive in the order of their files, with only the requested columns, and are cached") {
    val cache = new FactsCache(1 << 20)
    val underWay = begin(files, cache)
    try {
      assert(files.indices.map(rows(underWay, _)) == (1 to 70))
      assert(underWay.await(0, 1.minute).schema.getFieldCount == 1)
    } finally underWay.close()
    assert(files.forall(cache.footer(_, FileColumns.named(Seq("A"))).nonEmpty))
  }

  test("few files have one task each") {
    val underWay = begin(files.take(1))
    try assert(rows(underWay, 0) == 1)
    finally underWay.close()
  }

  test("the job has a description and its own group, and restores all properties") {
    watched { jobs =>
      val underWay = begin(files.take(5))
      try assert(rows(underWay, 4) == 5)
      finally underWay.close()
      eventually(assert(jobs.started.size == 1))
      val properties = jobs.started.peek.properties
      assert(properties.getProperty("spark.job.description") ==
        "limit pruning: footers of 5 files of animals")
      assert(properties.getProperty("spark.jobGroup.id").startsWith("limit-pruning-"))
      assert(spark.sparkContext.getLocalProperty("spark.job.description") == null)
      assert(spark.sparkContext.getLocalProperty("spark.jobGroup.id") == null)
    }
  }

  test("a bad file causes its own error, with the message of the driver's reader") {
    val bad = status(Files.write(folder.resolve("bad"), Array.fill[Byte](50)(1)))
    val underWay = begin(files.take(2) :+ bad)
    try {
      assert(rows(underWay, 1) == 2)
      val error = intercept[UnreadableFooterException](underWay.await(2, 1.minute))
      assert(error.getMessage.contains("instead of 'PAR1'") && error.getMessage.contains("/bad"))
    } finally underWay.close()
  }

  test("a query's job group cancels the job; closing cancels it, too") {
    val stalled = files.take(10).map(StallingFileSystem.stalled)
    watched { jobs =>
      spark.sparkContext.setJobGroup("mine", "a query", interruptOnCancel = true)
      val cancelled =
        try begin(stalled, conf = StallingFileSystem.conf)
        finally spark.sparkContext.clearJobGroup()
      intercept[TimeoutException](cancelled.await(0, 10.millis))
      eventually(assert(jobs.started.asScala.map(_.properties.getProperty("spark.jobGroup.id")).toSeq ==
        Seq("mine")))
      spark.sparkContext.cancelJobGroup("mine")
      val error = intercept[java.util.concurrent.ExecutionException](cancelled.await(0, 1.minute))
      assert(error.getCause.asInstanceOf[SparkException].getCondition == "SPARK_JOB_CANCELLED")
      cancelled.close()

      val closed = begin(stalled, conf = StallingFileSystem.conf)
      eventually(assert(jobs.started.size == 2))
      closed.close()
      eventually(assert(jobs.ended.size == 2, "closing must end the job"))
    }
  }
}
