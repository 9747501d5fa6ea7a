package limitpruning.footers

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.duration.{DurationInt, FiniteDuration}
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

  private val log = PlanningQuery("/t", "log")

  private def runInTime[T](maxTime: FiniteDuration)(query: => T): Option[T] =
    new QueryInTime(context, maxTime, new SlowQueries(10))(log)(query)

  private def isIdle: Boolean = context.statusTracker.getActiveJobIds().isEmpty

  test("returns the result of a query, with the local properties of the thread that plans") {
    context.setLocalProperty("planned", "here")
    try assert(runInTime(1.minute)(context.getLocalProperty("planned")).contains("here"))
    finally context.setLocalProperty("planned", null)
    assert(runInTime(1.minute)(spark.range(7).count()).contains(7L))
    assert(context.getJobTags().isEmpty)
  }

  test("leaves a query that takes too long, and cancels its job") {
    val inTime = new QueryInTime(context, 300.millis, new SlowQueries(10))
    assert(inTime(log)(endless()).isEmpty)
    eventually(assert(isIdle))
    assert(inTime(log)(fail("no time is left")).isEmpty)
    assert(runInTime(0.millis)(fail("no time is left")).isEmpty)
  }

  test("cancels a job that a query submits after it was left") {
    @volatile var late = Option.empty[FutureAction[Long]]
    def query(): Unit = {
      try new CountDownLatch(1).await() // until the query is left
      catch { case _: InterruptedException => () }
      late = Some(context.parallelize(Seq(1), 1).map(_ => QueryInTimeSuite.untilKilled()).countAsync())
    }
    assert(runInTime(50.millis)(query()).isEmpty)
    eventually(assert(late.flatMap(_.value).exists(_.isFailure)))
  }

  test("a query that was not done in time is not run again by the next queries, until it is due") {
    val slow = new SlowQueries(10)
    val time = 300.millis // what is not left is done in far less
    def runs(maxTime: FiniteDuration, name: PlanningQuery = log)(query: => Unit): Boolean = {
      var ran = false
      val inTime = new QueryInTime(context, maxTime, slow)
      val _ = inTime(name) {
        ran = true
        query
      }
      ran
    }
    def untilLeft(): Unit = new CountDownLatch(1).await()
    assert(runs(time)(untilLeft()))
    assert(Seq.fill(4)(runs(time)(untilLeft())) == Seq(false, false, false, true))
    assert(runs(time + 1.milli)(()), "with more time, it may be done")
    assert(runs(time, log.copy(path = "/u"))(()) && runs(time, log.copy(what = "all"))(()))
    assert(Seq.fill(16)(runs(time)(())).indexOf(true) == 15)
    assert(Seq.fill(9)(runs(time)(())).forall(identity), "it was done in time")
    assert(runs(time)(untilLeft()) && !runs(time)(()))
    val later = new QueryInTime(context, time, slow)
    assert(later(log)(fail("not due")).isEmpty &&
      later(log.copy(what = "all"))(fail("no time is left")).isEmpty)
    slow.forget(_ == "/t")
    assert(runs(time)(()))
  }

  test("a query that fails is run again") {
    val slow = new SlowQueries(10)
    (1 to 3).foreach { n =>
      val failed = Try(new QueryInTime(context, 1.minute, slow)(log)(throw new IllegalStateException(s"$n")))
      assert(failed.failed.get.getMessage == s"$n")
    }
  }

  test("throws the error of the query") {
    val error = new IllegalArgumentException("no such column")
    assert(Try(runInTime(1.minute)(throw error)).failed.toOption.exists(_ eq error))
  }

  test("an interrupt of the thread that plans ends the query, too") {
    QueryInTimeSuite.started = new CountDownLatch(1)
    @volatile var wasInterrupted = false
    val planning = new Thread(() =>
      try {
        val _ = runInTime(1.minute)(endless())
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
