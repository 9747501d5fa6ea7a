package limitpruning.testing

import java.net.URI
import java.util.concurrent.{CountDownLatch, Semaphore}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, Path, RawLocalFileSystem}

/** Local files with the scheme `stall`, which open only after [[StallingFileSystem.release]]. */
class StallingFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("stall:///")

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    StallingFileSystem.opened.release()
    StallingFileSystem.gate.await()
    super.open(path, bufferSize)
  }
}

object StallingFileSystem {

  /** A permit for each file whose opening has started. */
  val opened = new Semaphore(0)
  private val gate = new CountDownLatch(1)

  def release(): Unit = gate.countDown()

  def conf: Configuration = {
    val conf = new Configuration()
    conf.setClass("fs.stall.impl", classOf[StallingFileSystem], classOf[org.apache.hadoop.fs.FileSystem])
    conf
  }

  def stalled(status: FileStatus): FileStatus = new FileStatus(
    status.getLen,
    false,
    1,
    1,
    status.getModificationTime,
    new Path(s"stall://${status.getPath.toUri.getPath}")
  )
}
