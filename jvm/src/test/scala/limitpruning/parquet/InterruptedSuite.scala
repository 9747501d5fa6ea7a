package limitpruning.parquet

import java.io.{IOException, InterruptedIOException}
import java.net.SocketTimeoutException
import java.nio.channels.{AsynchronousCloseException, ClosedByInterruptException}

import org.scalatest.funsuite.AnyFunSuite

class InterruptedSuite extends AnyFunSuite {

  private def isInterruption(error: IOException): Boolean =
    Interrupted.unapply(error).exists(_.getCause eq error)

  test("matches what reads of an interrupted thread fail with") {
    assert(isInterruption(new InterruptedIOException("while waiting for a request")))
    assert(isInterruption(new ClosedByInterruptException))
  }

  test("does not match timeouts, though Java derives them from interruptions, nor faults of files") {
    assert(!isInterruption(new SocketTimeoutException("read timed out")))
    assert(!isInterruption(new AsynchronousCloseException))
    assert(!isInterruption(new IOException("no footer")))
  }
}
