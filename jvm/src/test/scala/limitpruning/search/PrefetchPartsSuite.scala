package limitpruning.search

import java.nio.file.{Files, Path}

import scala.concurrent.duration.{DurationInt, FiniteDuration}
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import limitpruning.footers.PlanningThreads
import limitpruning.parquet.{PartOfFile, Storage}
import limitpruning.testing.{StallingFileSystem, TempFolder}

class PrefetchPartsSuite extends AnyFunSuite with TempFolder with Eventually {
  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(10, Seconds))

  private def written(name: String): (Path, FileStatus) = {
    val path = Files.write(folder.resolve(name), Array.tabulate[Byte](300 * 1024)(_.toByte))
    (path, status(path))
  }

  private def prefetch(storage: Storage, time: FiniteDuration = 1.minute)(parts: PartOfFile*): Unit =
    Using.resource(new PlanningThreads(3))(new PrefetchParts(storage, _, time.fromNow)(parts))

  private def isThere(storage: Storage, part: PartOfFile): Boolean =
    storage.parts.contains(part.file, part.offset, part.length)

  private def threadsAlive: Boolean =
    Thread.getAllStackTraces.keySet.asScala.exists(_.getName.contains("limit-pruning-footers"))

  test("parts of several files are read, and are the bytes of their files") {
    val storage = Storage(new Configuration())
    val files = Seq("a", "b").map(written)
    val parts = for ((_, file) <- files; offset <- Seq(10L, 200L * 1024)) yield PartOfFile(file, offset, 100)
    prefetch(storage)(parts: _*)
    files.foreach { case (path, _) => Files.delete(path) }
    for (part <- parts) {
      val bytes = storage.parts(part.file, part.offset, part.length)(fail("a request"))
      assert(bytes.toSeq == (part.offset until part.end).map(_.toByte))
    }
    eventually(assert(!threadsAlive))
  }

  test("local files are read without threads until a read takes long") {
    val (_, file) = written("local")
    val parts = Seq(10L, 100L * 1024, 200L * 1024).map(PartOfFile(file, _, 100))
    def threadsStarted(nanosOfRead: Long): Boolean = {
      val storage = Storage(new Configuration())
      var now = 0L
      Using.resource(new PlanningThreads(3)) { threads =>
        new PrefetchParts(storage, threads, 1.minute.fromNow, () => { now += nanosOfRead; now })(parts)
        assert(parts.forall(isThere(storage, _)))
        threadsAlive
      }
    }
    eventually(assert(!threadsAlive))
    assert(!threadsStarted(nanosOfRead = 1000))
    assert(threadsStarted(nanosOfRead = 10L * 1000 * 1000))
    eventually(assert(!threadsAlive))
  }

  test("parts that are near each other are read together, with what is between them") {
    val storage = Storage(new Configuration())
    val (_, file) = written("near")
    val far = PartOfFile(file, 200L * 1024, 5)
    prefetch(storage)(PartOfFile(file, 1000, 10), PartOfFile(file, 10, 10), far)
    assert(isThere(storage, PartOfFile(file, 10, 1000)) && isThere(storage, far))
    assert(!isThere(storage, PartOfFile(file, 1000, 11)))
  }

  test("no more than some megabytes are read ahead") {
    val storage = Storage(new Configuration())
    val (_, file) = written("many")
    val parts = (0 until 40).map(i => PartOfFile(file, i.toLong, 200L * 1024))
    prefetch(storage)(parts: _*)
    assert(isThere(storage, parts.head), "their sum counts, although they overlap")
    assert(PartOfFile.within(1000, parts.map(_.copy(length = 300))).size == 3)
  }

  test("one part is left to whoever needs it, and so is what cannot be read") {
    val storage = Storage(new Configuration())
    val (_, file) = written("one")
    prefetch(storage)(PartOfFile(file, 10, 10))
    assert(!isThere(storage, PartOfFile(file, 10, 10)))
    val absurd = Seq(-1L -> 5L, 10L -> -5L, 10L -> Long.MaxValue, Long.MaxValue -> 10L, 300L * 1024 -> 1L)
    val (gone, missing) = written("gone")
    Files.delete(gone)
    val good = PartOfFile(file, 10, 10)
    prefetch(storage)(
      absurd.map { case (offset, length) => PartOfFile(file, offset, length) } ++
        Seq(PartOfFile(missing, 10, 10), good): _*
    )
    assert(isThere(storage, good) && !isThere(storage, PartOfFile(missing, 10, 10)))
  }

  test("nothing is awaited after the deadline, and no thread is left") {
    val storage = Storage(StallingFileSystem.conf)
    val parts = Seq("c", "d").map(name => PartOfFile(StallingFileSystem.stalled(written(name)._2), 10, 10))
    val started = System.nanoTime()
    prefetch(storage, 100.millis)(parts: _*)
    assert(System.nanoTime() - started < 20e9, "it returned, although nothing can be read")
    assert(!parts.exists(isThere(storage, _)))
    eventually(assert(!threadsAlive))
  }
}
