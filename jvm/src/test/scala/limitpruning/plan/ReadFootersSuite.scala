package limitpruning.plan

import java.nio.file.Files
import java.util.concurrent.TimeUnit.SECONDS

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import limitpruning.parquet.{FooterReader, UnreadableFooterException}
import limitpruning.testing.{ParquetFixture, StallingFileSystem, TempFolder}

class ReadFootersSuite extends AnyFunSuite with TempFolder with Eventually {
  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(10, Seconds))

  private lazy val files: Seq[FileStatus] = (1 to 20).map { rows =>
    val fixture = ParquetFixture("required int32 a;").rowGroup((0 until rows).map(Seq(_)): _*)
    status(fixture.write(folder.resolve(s"$rows.parquet")))
  }

  private def listed(statuses: Seq[FileStatus]): Seq[ListedFile] =
    statuses.map(ListedFile(InternalRow.empty, _))

  private def read(threads: Int, conf: Configuration = new Configuration()): ReadFooters =
    new ReadFooters(new FooterReader(conf), threads)

  private def threadsAlive: Seq[String] =
    Thread.getAllStackTraces.keySet.asScala.map(_.getName).filter(_.contains("limit-pruning-footers")).toSeq

  for (threads <- Seq(1, 3, 128))
    test(s"footers come in the order of their files, read by up to $threads threads") {
      val footers = read(threads)(listed(files))
      assert(footers.map(_.rowGroups.map(_.getRowCount).sum) == (1 to 20))
    }

  for (threads <- Seq(1, 3))
    test(s"the error is that of the first bad file in order, with $threads threads") {
      def bad(name: String) = status(Files.write(folder.resolve(name), Array.fill[Byte](50)(1)))
      val some = listed(files.take(3) ++ Seq(bad("first-bad"), bad("second-bad")) ++ files.drop(3))
      val error = intercept[UnreadableFooterException](read(threads)(some))
      assert(error.getMessage.contains("first-bad"))
    }

  test("no file is no footer") {
    assert(read(4)(Nil) == Nil)
  }

  test("no thread is left when the footers are read") {
    val _ = read(4)(listed(files))
    eventually(assert(threadsAlive == Nil))
  }

  test("an interruption ends the wait at once and leaves no thread") {
    @volatile var outcome: Option[Throwable] = None
    val query = new Thread(() =>
      try {
        val _ = read(2, StallingFileSystem.conf)(listed(files.map(StallingFileSystem.stalled)))
      } catch { case error: InterruptedException => outcome = Some(error) }
    )
    query.start()
    assert(StallingFileSystem.opened.tryAcquire(2, 10, SECONDS), "both threads must be reading")
    query.interrupt()
    query.join(10000)
    assert(outcome.nonEmpty)
    eventually(assert(threadsAlive == Nil))
  }
}
