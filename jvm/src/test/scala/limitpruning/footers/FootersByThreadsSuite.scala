package limitpruning.footers

import java.nio.file.Files
import java.util.concurrent.{ExecutionException, TimeoutException}
import java.util.concurrent.TimeUnit.SECONDS

import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import limitpruning.parquet.{FileColumns, FooterReader, UnreadableFooterException}
import limitpruning.testing.{ParquetFixture, StallingFileSystem, TempFolder}

class FootersByThreadsSuite extends AnyFunSuite with TempFolder with Eventually {
  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(10, Seconds))

  private lazy val files: Seq[FileStatus] = (1 to 20).map { rows =>
    val fixture = ParquetFixture("required int32 a;").rowGroup((0 until rows).map(Seq(_)): _*)
    status(fixture.write(folder.resolve(s"$rows.parquet")))
  }

  private def reading[T](
      files: Seq[FileStatus],
      threads: Int,
      conf: Configuration = new Configuration(),
      cache: FactsCache = FactsCache.none
  )(body: FootersUnderWay => T): T = {
    val pool = new PlanningThreads(threads)
    val underWay = new FootersByThreads(new FooterReader(conf), cache, pool)
      .begin(files.map(FooterToRead(_, FileColumns.All)))
    try body(underWay)
    finally {
      underWay.close()
      pool.close()
    }
  }

  private def threadsAlive: Seq[String] =
    Thread.getAllStackTraces.keySet.asScala.map(_.getName).filter(_.contains("limit-pruning-footers")).toSeq

  for (threads <- Seq(1, 3, 128))
    test(s"footers come in the order of their files, read by up to $threads threads, and are kept") {
      val cache = new FactsCache(1 << 20)
      val rows = reading(files, threads, cache = cache)(underWay =>
        files.indices.map(underWay.await(_, 1.minute).rowGroups.map(_.getRowCount).sum)
      )
      assert(rows == (1 to 20))
      assert(files.forall(cache.footer(_, FileColumns.All).nonEmpty))
      eventually(assert(threadsAlive == Nil, "no thread is left"))
    }

  test("a bad file is an error of its own") {
    val bad = status(Files.write(folder.resolve("bad"), Array.fill[Byte](50)(1)))
    reading(files.take(2) :+ bad, 3) { underWay =>
      assert(underWay.await(1, 1.minute).rowGroups.size == 1)
      val error = intercept[ExecutionException](underWay.await(2, 1.minute))
      assert(error.getCause.isInstanceOf[UnreadableFooterException])
    }
  }

  test("the wait ends after the time or an interruption, and no thread remains") {
    val stalled = files.map(StallingFileSystem.stalled)
    reading(stalled, 2, StallingFileSystem.conf) { underWay =>
      assert(StallingFileSystem.opened.tryAcquire(2, 10, SECONDS), "both threads must be reading")
      intercept[TimeoutException](underWay.await(0, 10.millis))
      Thread.currentThread.interrupt()
      intercept[InterruptedException](underWay.await(0, 1.minute))
    }
    eventually(assert(threadsAlive == Nil))
  }
}
