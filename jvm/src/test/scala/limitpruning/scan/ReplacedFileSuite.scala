package limitpruning.scan

import java.nio.file.{Files, Path, StandardCopyOption}
import java.util.concurrent.TimeUnit.MILLISECONDS

import scala.util.{Failure, Try}

import org.apache.spark.sql.Row
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.catalyst.ChooseWhenRunExec
import limitpruning.conf.LimitPruningConf
import limitpruning.testing.{SparkSuite, WatchedFileSystem}

/** A file is replaced while a task reads the columns of the predicate first, and then the others. */
class ReplacedFileSuite extends AnyFunSuite with SparkSuite {
  import ReplacedFileSuite._

  private val settings = Seq(
    LimitPruningConf.RowsMinBytes.key -> "1",
    LimitPruningConf.MinPageBytes.key -> "0"
  )

  /** A file of this version: its rows match elsewhere than those of others. */
  private def written(version: Int): Path = {
    val columns = (1 to 12).map(c => s"concat('$c of ', id, ' in $version') AS c$c")
    spark.range(0, 3000 + version, 1, 1)
      .selectExpr("id" +: s"(id * 7 + $version) % 50 AS v" +: columns: _*)
      .write.option("parquet.page.row.count.limit", "100").option("parquet.enable.dictionary", "false")
      .parquet(pathOf(s"version $version").toString)
    Files.list(pathOf(s"version $version")).filter(_.toString.endsWith(".parquet")).findFirst.get
  }

  test("at whatever read a file is replaced, the rows are those of one version") {
    val versions = Seq(1, 2).map(written)
    val file = pathOf("replaced/t.parquet")
    def put(version: Path): Unit = {
      val copy = Files.copy(version, pathOf("copy.parquet"), StandardCopyOption.REPLACE_EXISTING)
      val _ = Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE)
    }

    def replacedAt(read: Int): Outcome = {
      put(versions.head)
      val table = spark.read.options(WatchedFileSystem.options).parquet(pathOf("replaced").toString)
      val df = table.where("v % 25 = 3").limit(20)
      val Seq(node) = collect(planned(df)) { case node: ChooseWhenRunExec => node }: @unchecked
      assert(node.choose.exists(_.index.wanted.inFirstTask))
      @volatile var outcome: Try[Array[Row]] = Failure(new IllegalStateException("it has not ended"))
      val running = new Thread(() => outcome = Try(df.collect()))
      WatchedFileSystem.hold(read)
      running.start()
      val isHeld = Iterator.continually(WatchedFileSystem.waiting.tryAcquire(20, MILLISECONDS))
        .find(held => held || !running.isAlive).get
      if (isHeld) put(versions.last)
      WatchedFileSystem.release()
      running.join()
      Outcome(outcome.get, isHeld, node.metrics(ScanMetrics.RowsVerified).value > 0)
    }

    def versionsOf(rows: Array[Row]): Set[Int] = rows.map { row =>
      val (id, v) = (row.getLong(0), row.getLong(1))
      val Seq(version) = Seq(1, 2).filter(n => v == (id * 7 + n) % 50): @unchecked
      assert((1 to 12).forall(c => row.getString(c + 1) == s"$c of $id in $version"))
      version
    }.toSet

    withConf(settings: _*) {
      def next(read: Int): Int = read + 1 + (read / 4).min(500)
      val outcomes = Iterator.iterate(0)(next).map(replacedAt).takeWhile(_.wasReplaced).toSeq
      outcomes.foreach { outcome =>
        assert(outcome.rows.length == 20 && versionsOf(outcome.rows).size == 1)
      }
      // Some tasks have seen that the second reader opened another file.
      assert(outcomes.map(_.readFirst).toSet == Set(true, false))
    }
  }
}

private object ReplacedFileSuite {

  /** @param readFirst whether rows were found by reading the columns of the predicate first */
  final case class Outcome(rows: Array[Row], wasReplaced: Boolean, readFirst: Boolean)
}
