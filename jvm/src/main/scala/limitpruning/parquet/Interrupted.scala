package limitpruning.parquet

import java.io.{IOException, InterruptedIOException}
import java.nio.channels.ClosedByInterruptException

/**
 * Matches what a read fails with because its thread was interrupted, as when a query is cancelled, and gives the
 * interruption, which must not be taken for a fault of the file.
 */
private[parquet] object Interrupted {
  def unapply(error: IOException): Option[InterruptedException] = error match {
    case _: ClosedByInterruptException => Some(interruption(error))
    // Classes derived from it are those of timeouts.
    case _ if error.getClass == classOf[InterruptedIOException] => Some(interruption(error))
    case _ => None
  }

  private def interruption(error: IOException): InterruptedException = {
    val interruption = new InterruptedException(s"interrupted while planning a LIMIT: ${error.getMessage}")
    interruption.initCause(error)
    interruption
  }
}
