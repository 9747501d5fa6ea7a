package limitpruning.parquet

import java.io.{IOException, InterruptedIOException}
import java.net.SocketTimeoutException
import java.nio.channels.{AsynchronousCloseException, ClosedByInterruptException}

import org.scalatest.funsuite.AnyFunSuite

class InterruptedSuite extends AnyFunSuite {

  private def isInterruption(error: IOException): Boolean =
    Interrupted.unapply(error).exists(_.getCause eq error)

  test("matches the exceptions of reads on an interrupted thread") {
    assert(isInterruption(new InterruptedIOException("while waiting for a request")))
    assert(isInterruption(new ClosedByInterruptException))
  }

  test("does not match timeouts, which Java derives from interruptions, nor faults of files") {
    assert(!isInterruption(new SocketTimeoutException("read timed out")))
    assert(!isInterruption(new AsynchronousCloseException))
    assert(!isInterruption(new IOException("no footer")))
  }
}
