package limitpruning.footers

import java.util.concurrent.TimeoutException

import scala.concurrent.duration.FiniteDuration

import limitpruning.parquet.Footer

/**
 * Reads footers in a job, and by threads if the job has not begun to answer after half of the time. Tasks that Spark's status does
 * not show yet may hold all cores, or an executor may take long to start.
 */
private[limitpruning] final class FootersByJobOrThreads(job: FooterSource, threads: FooterSource)
    extends FooterSource {

  override def begin(files: Seq[FooterToRead]): FootersUnderWay = new FootersUnderWay {
    private var reading = job.begin(files)
    private var isSettled = false

    override def await(index: Int, time: FiniteDuration): Footer =
      if (isSettled || time.length <= 0) reading.await(index, time)
      else {
        isSettled = true
        val half = time / 2
        try reading.await(index, half)
        catch {
          case _: TimeoutException =>
            reading.close()
            reading = threads.begin(files)
            reading.await(index, time - half)
        }
      }

    override def close(): Unit = reading.close()
  }
}
