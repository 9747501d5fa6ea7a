package limitpruning.catalyst

import java.util.concurrent.TimeUnit.SECONDS

import scala.util.{Failure, Try}

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning
import org.apache.spark.sql.execution.FilterExec
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.LimitPruningConf
import limitpruning.testing.{ParquetFixture, SparkSuite, WatchedFileSystem}

class ChooseWhenRunExecSuite extends AnyFunSuite with SparkSuite {
  private lazy val table = {
    for (day <- 1 to 3) {
      val rows = (0 until 4).map(i => (0 until 10).map(row => Seq[Any](i * 10 + row, s"name-$row")))
      val file = rows.foldLeft(ParquetFixture("optional int32 a; optional binary s (STRING);"))((f, group) =>
        f.rowGroup(group: _*)
      )
      file.write(pathOf(s"days/day=$day/f.parquet"))
    }
    val table = spark.read.parquet(pathOf("days").toString)
    table.createOrReplaceTempView("days")
    table
  }

  private val newest = "SELECT * FROM days WHERE day = (SELECT max(day) FROM days) AND a >= 20"

  /** The nodes of LIMITs, not that of the max, which needs one row. */
  private def nodesOf(df: DataFrame): Seq[ChooseWhenRunExec] =
    collectWithSubqueries(planned(df)) { case node: ChooseWhenRunExec if node.limit > 1 => node }

  private def nodeOf(sql: String): ChooseWhenRunExec = {
    table
    val Seq(node) = nodesOf(spark.sql(sql)): @unchecked
    node
  }

  for (adaptive <- Seq("true", "false")) {
    def test(title: String)(body: => Any): Unit =
      super.test(s"$title: adaptive $adaptive")(withConf("spark.sql.adaptive.enabled" -> adaptive)(body))

    test("the node reports no partitioning and no order, before and after the choice") {
      table
      val df = spark.sql(s"$newest LIMIT 5")
      def check(): Unit = for (node <- nodesOf(df)) {
        assert(node.outputPartitioning == UnknownPartitioning(0))
        assert(node.outputOrdering == Nil)
        assert(node.output == node.child.output)
      }
      check()
      assert(nodesOf(df).forall(_.choice.isEmpty), "nothing is chosen before the query runs")
      assert(df.collect().map(_.getInt(2)).toSet == Set(3))
      check()
      assert(nodesOf(df).flatMap(_.choice).exists(_.isRight))
    }

    test("the filters on partition columns are above the node") {
      table
      val filters = collectWithSubqueries(planned(spark.sql(s"$newest LIMIT 5"))) {
        case filter: FilterExec if filter.exists(_.isInstanceOf[ChooseWhenRunExec]) => filter.condition.sql
      }
      assert(filters.exists(_.contains("day")))
      assert(filters.exists(_.contains("20")))
    }

    test("the choice is made once, and a second run reads the same rows") {
      table
      val df = spark.sql(s"$newest LIMIT 5")
      val first = df.collect().toSeq
      val choices = nodesOf(df).flatMap(_.choice)
      assert(df.collect().toSeq == first)
      assert(nodesOf(df).flatMap(_.choice).zip(choices).forall { case (a, b) => a eq b })
    }

    test("the choice needs no active session on the thread that runs the plan") {
      table
      val plan = planned(spark.sql(s"$newest LIMIT 5"))
      SparkSession.clearActiveSession()
      try assert(plan.execute().count() == 5)
      finally SparkSession.setActiveSession(spark)
    }

    test("line 57: nodes are equal only with the same limit, order, predicate and scan") {
      val same = nodeOf(s"$newest LIMIT 5").canonicalized
      assert(nodeOf(s"$newest LIMIT 5").canonicalized == same)
      assert(nodeOf(s"$newest LIMIT 3 OFFSET 2").canonicalized == same, "both need five rows")
      for (
        other <- Seq(
          s"$newest LIMIT 6",
          s"$newest ORDER BY a LIMIT 5",
          s"$newest AND s <> 'x' LIMIT 5",
          "SELECT * FROM days WHERE day = (SELECT min(day) FROM days) AND a >= 20 LIMIT 5",
          "SELECT * FROM days WHERE day <= (SELECT max(day) FROM days) AND a >= 20 LIMIT 5"
        )
      ) assert(nodeOf(other).canonicalized != same, other)
      val ascending = nodeOf(s"$newest ORDER BY a LIMIT 5").canonicalized
      assert(nodeOf(s"$newest ORDER BY a DESC LIMIT 5").canonicalized != ascending)
      assert(nodeOf(s"$newest ORDER BY a, s LIMIT 5").canonicalized != ascending, "it reads more ties")
      assert(nodeOf(s"$newest LIMIT 5").child.canonicalized != same)
    }
  }

  test("an error leaves the LIMIT to Spark, and is counted") {
    val state = new FailingState
    withConf(LimitPruningConf.FailOnError.key -> "false") {
      val failed = FailOpen[Either[String, Int]](state, spark.sessionState.conf) {
        throw new IllegalStateException("broken")
      }(reason => Left(reason.code))
      assert(failed == Left("planning-failed"))
    }
    assert(state.failures == 1)
    intercept[IllegalStateException](FailOpen[Unit](state, spark.sessionState.conf) {
      throw new IllegalStateException("broken")
    }(_ => ()))
  }

  test("an error that follows from an interrupt is the interrupt, and is not counted") {
    val state = new FailingState
    val _ = intercept[InterruptedException](FailOpen[Unit](state, spark.sessionState.conf) {
      Thread.currentThread.interrupt()
      throw new IllegalStateException("the stream was closed")
    }(_ => ()))
    assert(state.failures == 0 && !Thread.currentThread.isInterrupted)
  }

  private final class FailingState extends PlanningState {
    @volatile var failures = 0
    override def facts: limitpruning.footers.FactsCache = limitpruning.footers.FactsCache.none
    override def countFailure(): Unit = failures += 1
    override def addPlanning(nanos: Long): Unit = ()
  }

  test("a query that is interrupted while its rows are chosen stops at once") {
    WatchedFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val fixture = ParquetFixture("required int32 a;").rowGroup((0 until 100).map(Seq[Any](_)): _*)
    val _ = tableOf("held", (1 to 9).map(n => s"$n.parquet" -> fixture): _*)
    spark.read.parquet(s"watched://${pathOf("held")}").createOrReplaceTempView("held")
    table
    val df = spark.sql("SELECT * FROM held WHERE a >= (SELECT max(a) - 30 FROM days) LIMIT 5")
    // The subquery runs first, so that the reads that wait are those of the search.
    assert(nodesOf(df).nonEmpty)
    @volatile var outcome: Try[Any] = Failure(new IllegalStateException("the query has not finished"))
    val running = new Thread(() => outcome = Try(df.collect()).recover { case e => e })
    running.setUncaughtExceptionHandler((_, error) => outcome = Failure(error))
    WatchedFileSystem.hold(0)
    running.start()
    try {
      assert(WatchedFileSystem.waiting.tryAcquire(20, SECONDS), "a read must be waiting")
      running.interrupt()
      running.join(10000)
    } finally WatchedFileSystem.release()
    assert(!running.isAlive)
    assert(!outcome.toOption.exists(_.isInstanceOf[Array[_]]), s"the query did not stop: $outcome")
    assert(spark.table("held").where("a >= 10").limit(5).collect().length == 5)
  }
}
