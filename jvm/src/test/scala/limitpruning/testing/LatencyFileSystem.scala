package limitpruning.testing

import java.net.URI
import java.util.concurrent.atomic.LongAdder

import org.apache.hadoop.fs.{FSDataInputStream, FSInputStream, FileStatus, Path, RawLocalFileSystem}

/**
 * Local files with the scheme `slow`. Each request takes as long as a request to an object store. Counts
 * requests and bytes.
 */
class LatencyFileSystem extends RawLocalFileSystem {
  import LatencyFileSystem._

  private val isUnderWay = ThreadLocal.withInitial[Boolean](() => false)

  override def getUri: URI = URI.create("slow:///")
  override def getScheme: String = "slow"

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    new FSDataInputStream(new SlowStream(asOne(opens)(super.open(path, bufferSize))))

  override def getFileStatus(path: Path): FileStatus = asOne(stats)(super.getFileStatus(path))

  override def listStatus(path: Path): Array[FileStatus] = asOne(lists)(super.listStatus(path))

  /** Counts as one request, although the local file system may request the status of each file. */
  private def asOne[T](counter: LongAdder)(body: => T): T =
    if (isUnderWay.get) body
    else {
      request(counter)
      isUnderWay.set(true)
      try body
      finally isUnderWay.set(false)
    }
}

object LatencyFileSystem {
  @volatile private var millis = 0L
  private val opens, reads, stats, lists, bytes = new LongAdder

  def setMillis(latency: Long): Unit = millis = latency

  /**
   * Since the start: opens, reads that did not begin where the previous read ended, file statuses, listings,
   * and bytes.
   */
  def counts: Array[Long] = Array(opens, reads, stats, lists, bytes).map(_.sum)

  /** Bytes that the calling thread has allocated. */
  def allocated: Long = java.lang.management.ManagementFactory.getThreadMXBean
    .asInstanceOf[com.sun.management.ThreadMXBean].getCurrentThreadAllocatedBytes

  /** Bytes of the heap that are in use after a collection. */
  def heap: Long = {
    System.gc()
    val runtime = Runtime.getRuntime
    runtime.totalMemory - runtime.freeMemory
  }

  private def request(counter: LongAdder): Unit = {
    counter.increment()
    if (millis > 0) Thread.sleep(millis)
  }

  private final class SlowStream(in: FSDataInputStream) extends FSInputStream {
    private var isElsewhere = true

    override def seek(position: Long): Unit = {
      isElsewhere ||= position != in.getPos
      in.seek(position)
    }
    override def getPos: Long = in.getPos
    override def seekToNewSource(position: Long): Boolean = in.seekToNewSource(position)
    override def close(): Unit = in.close()
    override def read(): Int = {
      beforeRead()
      counted(1, in.read())
    }
    override def read(buffer: Array[Byte], offset: Int, length: Int): Int = {
      beforeRead()
      val count = in.read(buffer, offset, length)
      counted(count, count)
    }

    private def beforeRead(): Unit = if (isElsewhere) {
      isElsewhere = false
      request(reads)
    }

    private def counted(count: Int, result: Int): Int = {
      if (result >= 0) bytes.add(count.toLong)
      result
    }
  }
}
