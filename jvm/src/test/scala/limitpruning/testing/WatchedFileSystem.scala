package limitpruning.testing

import java.io.InterruptedIOException
import java.net.URI
import java.util.concurrent.{CountDownLatch, Semaphore}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FSInputStream, FileSystem, Path, RawLocalFileSystem}

/** Local files with the scheme `watched`. It records open files, and can block reads. */
class WatchedFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("watched:///")

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    new FSDataInputStream(new WatchedStream(super.open(path, bufferSize)))
}

/** The same with the scheme `file`. */
class WatchedLocalFileSystem extends WatchedFileSystem {
  override def getUri: URI = URI.create("file:///")
}

object WatchedFileSystem {

  /** The number of streams that are open. */
  val open = new AtomicInteger

  /** A permit for each read that is or was blocked. */
  val waiting = new Semaphore(0)

  private val gate = new AtomicReference(new CountDownLatch(0))

  /** Blocks all reads after the next `unhindered` reads. */
  def hold(unhindered: Int): Unit = {
    left.set(unhindered)
    waiting.drainPermits()
    gate.set(new CountDownLatch(1))
  }
  private val left = new AtomicInteger

  def release(): Unit = gate.get.countDown()

  /** Options of a read of local files. */
  val options: Map[String, String] =
    Map("fs.file.impl" -> classOf[WatchedLocalFileSystem].getName, "fs.file.impl.disable.cache" -> "true")

  def register(conf: Configuration): Unit =
    conf.setClass("fs.watched.impl", classOf[WatchedFileSystem], classOf[FileSystem])

  /** Fails like remote file systems if the thread is interrupted. */
  private[testing] def read(): Unit =
    if (gate.get.getCount > 0 && left.getAndDecrement() <= 0) {
      waiting.release()
      try gate.get.await()
      catch { case e: InterruptedException => throw new InterruptedIOException(e.toString) }
    }
}

private final class WatchedStream(in: FSDataInputStream) extends FSInputStream {
  WatchedFileSystem.open.incrementAndGet()
  private var closed = false

  override def read(): Int = { WatchedFileSystem.read(); in.read() }
  override def read(bytes: Array[Byte], from: Int, length: Int): Int = {
    WatchedFileSystem.read()
    in.read(bytes, from, length)
  }
  override def seek(position: Long): Unit = in.seek(position)
  override def getPos: Long = in.getPos
  override def seekToNewSource(position: Long): Boolean = in.seekToNewSource(position)
  override def close(): Unit = {
    in.close()
    if (!closed) WatchedFileSystem.open.decrementAndGet()
    closed = true
  }
}
