package limitpruning.footers

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.duration.DurationInt
import scala.util.Try

import org.apache.spark.{FutureAction, SparkContext, TaskContext}
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import limitpruning.testing.SparkSuite

class QueryInTimeSuite extends AnyFunSuite with SparkSuite with Eventually {
  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(10, Seconds))

  private def context: SparkContext = spark.sparkContext

  /** Runs until its task is killed. */
  private def endless(): Long = {
    QueryInTimeSuite.started.countDown()
    context.parallelize(Seq(1), 1).map(_ => QueryInTimeSuite.untilKilled()).count()
  }

  private def isIdle: Boolean = context.statusTracker.getActiveJobIds().isEmpty

  test("returns the result of a query, with the local properties of the thread that plans") {
    context.setLocalProperty("planned", "here")
    try assert(new QueryInTime(context, 1.minute)(context.getLocalProperty("planned")).contains("here"))
    finally context.setLocalProperty("planned", null)
    assert(new QueryInTime(context, 1.minute)(spark.range(7).count()).contains(7L))
    assert(context.getJobTags().isEmpty)
  }

  test("leaves a query that takes too long, and cancels its job") {
    val inTime = new QueryInTime(context, 300.millis)
    assert(inTime(endless()).isEmpty)
    eventually(assert(isIdle))
    assert(inTime(fail("no time is left")).isEmpty)
    assert(new QueryInTime(context, 0.millis)(fail("no time is left")).isEmpty)
  }

  test("cancels a job that a query submits after it was left") {
    @volatile var late = Option.empty[FutureAction[Long]]
    def query(): Unit = {
      try new CountDownLatch(1).await() // until the query is left
      catch { case _: InterruptedException => () }
      late = Some(context.parallelize(Seq(1), 1).map(_ => QueryInTimeSuite.untilKilled()).countAsync())
    }
    assert(new QueryInTime(context, 50.millis)(query()).isEmpty)
    eventually(assert(late.flatMap(_.value).exists(_.isFailure)))
  }

  test("throws the error of the query") {
    val error = new IllegalArgumentException("no such column")
    assert(Try(new QueryInTime(context, 1.minute)(throw error)).failed.toOption.exists(_ eq error))
  }

  test("an interrupt of the thread that plans ends the query, too") {
    QueryInTimeSuite.started = new CountDownLatch(1)
    @volatile var wasInterrupted = false
    val planning = new Thread(() =>
      try {
        val _ = new QueryInTime(context, 1.minute)(endless())
      } catch { case _: InterruptedException => wasInterrupted = true }
    )
    planning.start()
    assert(QueryInTimeSuite.started.await(10, TimeUnit.SECONDS))
    eventually(assert(!isIdle))
    planning.interrupt()
    planning.join(10000)
    assert(wasInterrupted)
    eventually(assert(isIdle))
  }
}

private object QueryInTimeSuite {
  @volatile private var started = new CountDownLatch(1)

  private def untilKilled(): Unit = while (!TaskContext.get().isInterrupted()) Thread.sleep(10)
}
