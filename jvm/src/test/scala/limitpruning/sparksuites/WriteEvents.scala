package limitpruning.sparksuites

import java.nio.file.{Files, Path}
import java.nio.file.StandardOpenOption.{APPEND, CREATE}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.Reporter
import org.scalatest.events._

/**
 * Writes a line of JSON for every test and every suite that ends, to the file that the system property
 * `limitpruning.events` names. Each line is written at once, so that lines are whole even if the JVM dies.
 */
class WriteEvents extends Reporter {
  private val file = Path.of(System.getProperty("limitpruning.events"))
  private val json = new ObjectMapper()
  private var before = WatchPlans.counts

  override def apply(event: Event): Unit = event match {
    case e: SuiteStarting => write(e.suiteClassName, "started" -> true)
    case e: TestSucceeded => test(e.suiteClassName, e.testName, "passed", e.duration)
    case e: TestFailed =>
      test(e.suiteClassName, e.testName, "failed", e.duration, describe(e.message, e.throwable))
    case e: TestCanceled => test(e.suiteClassName, e.testName, "canceled", e.duration, e.message)
    case e: SuiteCompleted => ended(e.suiteClassName, "completed", e.duration, "")
    case e: SuiteAborted => ended(e.suiteClassName, "aborted", e.duration, describe(e.message, e.throwable))
    case _ =>
  }

  private def test(
      suite: Option[String],
      name: String,
      outcome: String,
      millis: Option[Long],
      message: String = ""
  ): Unit =
    write(suite, "test" -> name, "outcome" -> outcome, "millis" -> millis.getOrElse(0L), "message" -> message)

  /** Counts are those since the suite before it ended; suites run one after the other. */
  private def ended(suite: Option[String], how: String, millis: Option[Long], message: String): Unit = {
    val now = WatchPlans.counts
    val counts = now.map { case (name, count) => name -> (count - before(name)) }
    before = now
    write(
      suite,
      "ended" -> how,
      "millis" -> millis.getOrElse(0L),
      "message" -> message,
      "counts" -> counts.asJava
    )
  }

  private def describe(message: String, error: Option[Throwable]): String =
    (message +: error.toSeq.flatMap(causes)).distinct.mkString("\n")

  private def causes(error: Throwable): Seq[String] =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(4).map(_.toString).toSeq

  private def write(suite: Option[String], fields: (String, Any)*): Unit = {
    val line = json.writeValueAsString((fields.toMap + ("suite" -> suite.getOrElse(""))).asJava)
    Files.writeString(file, line + "\n", CREATE, APPEND)
    ()
  }
}
