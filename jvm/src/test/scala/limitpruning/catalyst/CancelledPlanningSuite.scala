package limitpruning.catalyst

import java.util.concurrent.TimeUnit.SECONDS

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Try}

import org.apache.spark.sql.DataFrame
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import limitpruning.conf.LimitPruningConf
import limitpruning.scan.FileChangedException
import limitpruning.testing.{ParquetFixture, SparkSuite, WatchedFileSystem}

/** A query that is cancelled during planning of its LIMIT stops at once, and leaves no open streams or threads. */
class CancelledPlanningSuite extends AnyFunSuite with SparkSuite with Eventually {
  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(10, Seconds))

  /**
   * Files whose footers leave `a <> 500` undecided, so that dictionaries are read. They are too far from the end of the
   * file to be read with the footer. No metadata of a table with a new name is cached.
   */
  private def table(name: String): DataFrame = {
    WatchedFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val rows = (0 until 100).map(i => Seq[Any](Seq(1, 999)(i % 2), s"$i".padTo(1000, ' ')))
    val fixture =
      ParquetFixture("required int32 a; required binary s (STRING);").withDictionary.rowGroup(rows: _*)
    val _ = tableOf(name, (1 to 9).map(number => s"$number.parquet" -> fixture): _*)
    spark.read.parquet(s"watched://${pathOf(name)}")
  }

  /**
   * Plans the query in a thread, and interrupts the thread while a read waits.
   *
   * @return the outcome of planning
   */
  private def interrupted(query: DataFrame, unhindered: Int): Try[Any] = {
    @volatile var outcome: Try[Any] = Failure(new IllegalStateException("planning has not finished"))
    val planning = new Thread(() => outcome = Try(planned(query)).recover { case e => e })
    WatchedFileSystem.hold(unhindered)
    planning.setUncaughtExceptionHandler((_, error) => outcome = Failure(error))
    planning.start()
    try {
      assert(WatchedFileSystem.waiting.tryAcquire(10, SECONDS), "a read must be waiting")
      planning.interrupt()
      planning.join(10000)
    } finally WatchedFileSystem.release()
    outcome
  }

  private def threadsAlive: Seq[String] =
    Thread.getAllStackTraces.keySet.asScala.map(_.getName).filter(_.contains("limit-pruning")).toSeq

  private val stages = Seq("a footer" -> 0, "a dictionary" -> 9)

  for ((what, unhindered) <- stages; threads <- Seq(1, 8))
    test(s"planning that is interrupted while it reads $what stops at once: $threads threads") {
      withConf(LimitPruningConf.Threads.key -> threads.toString, LimitPruningConf.FirstFiles.key -> "9") {
        val watched = table(s"$what $threads")
        val query = watched.where("a <> 500").limit(300)
        interrupted(query, unhindered) match {
          case Failure(_: InterruptedException) =>
          case other => fail(s"the interruption was lost: $other")
        }
        eventually(assert(WatchedFileSystem.open.get == 0 && threadsAlive == Nil))
        assert(
          watched.where("a <> 500").limit(300).collect().length == 300,
          "a later query returns all rows"
        )
      }
    }

  test("all streams are closed, whether or not a LIMIT is covered or read to its end") {
    // The time of a request would decide whether dictionaries are read.
    withConf(LimitPruningConf.MinPageBytes.key -> "0") {
      val watched = table("watched")
      for (
        (query, reason) <- Seq(
          watched.limit(3) -> None,
          watched.where("a <> 500").limit(899) -> None,
          watched.where("a = 999").limit(9) -> Some("not-clustered")
        )
      ) {
        assert(reasonOf(query) == reason)
        assert(query.collect().nonEmpty)
        eventually(assert(WatchedFileSystem.open.get == 0))
      }
    }
  }

  for (vectorized <- Seq("true", "false"))
    test(s"line 35: the stream of a file that has changed is closed: vectorized $vectorized") {
      withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized) {
        val file = pathOf(s"refused/$vectorized.parquet")
        val fixture = ParquetFixture("required int32 a;").rowGroup(Seq(1), Seq(2))
        WatchedFileSystem.register(spark.sparkContext.hadoopConfiguration)
        val query = spark.read.parquet(s"watched://${fixture.write(file)}").limit(2)
        assert(scansOf(query).size == 1)
        val _ = fixture.rowGroup(Seq(3)).write(file)
        intercept[FileChangedException](query.collect())
        eventually(assert(WatchedFileSystem.open.get == 0))
      }
    }
}
