package limitpruning.scan

import java.io.{Closeable, FileNotFoundException, IOException, InterruptedIOException}
import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.FileParts
import limitpruning.select.FilePart
import limitpruning.testing.{TempFolder, WatchedFileSystem}

class CheckUnchangedSuite extends AnyFunSuite with TempFolder with Eventually {
  private val conf = new Configuration()
  WatchedFileSystem.register(conf)

  private def file(name: String): Path = Files.writeString(folder.resolve(name), PlannedSplit.content())

  private def check(listed: FileStatus): CheckUnchanged =
    new CheckUnchanged(PlannedSplit(listed), PlannedSplit.version(listed), conf)

  test("line 35: a file that has another length or footer is another one, whatever its time") {
    val path = file("changed")
    val unchanged = check(status(path))
    unchanged.now()
    val before = Files.getLastModifiedTime(path)
    Files.setLastModifiedTime(path, FileTime.fromMillis(before.toMillis / 1000 * 1000))
    unchanged.now()
    def problem(content: String): String = {
      Files.writeString(path, content)
      Files.setLastModifiedTime(path, before)
      intercept[FileChangedException](unchanged.now()).getMessage
    }
    assert(problem(PlannedSplit.content() + "+").contains("11 bytes instead of 10"))
    assert(problem(PlannedSplit.content("02")).contains("its footer is different"))
    assert(problem("01\u0001\u0000\u0000\u0000PAR1").contains("its footer is different"))
  }

  test("line 35: a file is another one if other bytes that a proof relies on were replaced") {
    def content(part: String): String = part + "x" * 100000 + PlannedSplit.content()
    val path = Files.writeString(folder.resolve("parts"), content("dictionary"))
    val version = PlannedSplit.version(status(path))
    def checkOf(parts: FilePart*): CheckUnchanged =
      new CheckUnchanged(PlannedSplit(status(path)), version.copy(parts = parts), conf)
    def part(offset: Int, bytes: String): FilePart =
      FilePart(offset.toLong, bytes.length, FileParts.checksum(bytes.getBytes))
    checkOf(part(0, "dictionary"), part(100002, "xxxxxxxx01")).now()
    checkOf(part(100002, "xxxxxxxx01"), part(3, "tion"), part(0, "dict")).now()
    Files.writeString(path, content("Dictionary"))
    val error = intercept[FileChangedException](checkOf(part(0, "dict")).now())
    assert(error.getMessage.contains("its bytes at offset 0 are different"))
    checkOf(part(3, "tion")).now()
  }

  test("a file that is modified while it is open is detected on local file systems") {
    val path = file("written")
    val open = check(status(path))
    open.now()
    open.whileOpen()
    Files.setLastModifiedTime(path, FileTime.fromMillis(status(path).getModificationTime + 1))
    assert(
      intercept[FileChangedException](open.whileOpen()).getMessage.contains("modified while it was read")
    )
  }

  test("line 35: a file that is deleted while it is open is an error that names it") {
    val path = file("deleted")
    val open = check(status(path))
    open.whileOpen()
    Files.delete(path)
    val error = intercept[FileChangedException](open.whileOpen())
    assert(error.getMessage.contains("it was deleted while it was read"))
    assert(error.getMessage.contains("/deleted") && error.getMessage.contains("REFRESH TABLE"))
  }

  test("an open file is checked again only on local file systems") {
    val path = file("open")
    val local = check(status(path))
    val listed = status(path)
    listed.setPath(new org.apache.hadoop.fs.Path(s"watched://$path"))
    val other = check(listed)
    Files.writeString(path, "another")
    intercept[FileChangedException](local.whileOpen())
    other.whileOpen()
    intercept[FileChangedException](other.now())
  }

  /** Ten bytes on storage that is not local, and the rows that its reader returns. */
  private class Stored(name: String) extends Iterator[Any] with Closeable {
    val path: Path = file(name)
    private val listed = status(path)
    listed.setPath(new org.apache.hadoop.fs.Path(s"watched://$path"))
    private val check = CheckUnchangedSuite.this.check(listed)
    var read, closed = 0
    var failure: Option[Exception] = None
    override def hasNext: Boolean = { failure.foreach(throw _); read < 1 }
    override def next(): Any = { read += 1; "row" }
    override def close(): Unit = closed += 1
    def opening(choose: Iterator[Any] => Iterator[Any] = identity): Iterator[Any] =
      check.opening(this)(choose)
  }

  test("rows of a file on other storage are read while it is checked, and returned afterwards") {
    val stored = new Stored("stored")
    WatchedFileSystem.hold(unhindered = 0)
    val answer = CompletableFuture.supplyAsync[Any](() => stored.opening().next())
    try {
      WatchedFileSystem.waiting.acquire() // the check waits for the footer
      eventually(assert(stored.read == 1))
      assert(!answer.isDone)
    } finally WatchedFileSystem.release()
    assert(answer.get(10, SECONDS) == "row")
    eventually(assert(WatchedFileSystem.open.get == 0))
  }

  test("line 35: no row of another file on other storage is returned") {
    for (first <- Seq[Iterator[Any] => Any](_.next(), _.hasNext)) {
      val stored = new Stored("replaced")
      Files.writeString(stored.path, PlannedSplit.content("02"))
      val rows = stored.opening()
      intercept[FileChangedException](first(rows))
      intercept[FileChangedException](first(rows))
    }
  }

  test("if a file on other storage cannot be read because it is another one, the error says so") {
    val stored = new Stored("unreadable")
    stored.failure = Some(new IOException("not a dictionary page"))
    assert(intercept[IOException](stored.opening().hasNext).getMessage == "not a dictionary page")
    Files.writeString(stored.path, PlannedSplit.content("02"))
    intercept[FileChangedException](stored.opening().hasNext)
  }

  test("if the check cannot be made, the error of the read stays") {
    val stored = new Stored("gone")
    val failure = new IOException("not a dictionary page")
    stored.failure = Some(failure)
    Files.delete(stored.path)
    assert(intercept[IOException](stored.opening().hasNext) == failure)
    assert(failure.getSuppressed.exists(_.isInstanceOf[FileNotFoundException]))
    stored.failure = None
    intercept[FileNotFoundException](stored.opening().hasNext)
  }

  test("a read that was interrupted does not wait for the check") {
    val stored = new Stored("interrupted")
    stored.failure = Some(new IOException(new InterruptedIOException))
    WatchedFileSystem.hold(unhindered = 0)
    try assert(intercept[IOException](stored.opening().hasNext).getCause.isInstanceOf[InterruptedIOException])
    finally WatchedFileSystem.release()
    eventually(assert(WatchedFileSystem.open.get == 0))
  }

  test("a task was killed if a function that it waited for was interrupted") {
    assert(RunningCheck.isInterrupted(new RuntimeException("a UDF failed", new InterruptedException)))
    assert(!RunningCheck.isInterrupted(new RuntimeException("a UDF failed", new ArithmeticException)))
  }

  test("a file on other storage is closed if its rows cannot be chosen, and with its rows") {
    val stored = new Stored("closed")
    intercept[ArithmeticException](stored.opening(_ => throw new ArithmeticException))
    assert(stored.closed == 1)
    CloseRows(stored.opening())
    assert(stored.closed == 2)
  }

  test("a check ends if the task that waits for it is killed") {
    val stored = new Stored("killed")
    WatchedFileSystem.hold(unhindered = 0)
    val outcome = new CompletableFuture[Throwable]
    val task = new Thread(() => {
      val _ =
        try outcome.complete(new AssertionError(s"it returned ${stored.opening().hasNext}"))
        catch { case error: Throwable => outcome.complete(error) }
    })
    try {
      task.start()
      WatchedFileSystem.waiting.acquire()
      task.interrupt()
      assert(outcome.get(10, SECONDS).isInstanceOf[InterruptedException])
      eventually(assert(WatchedFileSystem.open.get == 0))
    } finally WatchedFileSystem.release()
  }
}
