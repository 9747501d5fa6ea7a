package limitpruning.parquet

import java.util.Locale

import scala.util.Try

/**
 * The writer of a file, from `created_by` in its footer: `parquet-mr version 1.17.0 (build …)`, `DuckDB
 * version v1.1.3`, `Polars`, or nothing.
 *
 * @param name in lower case, without text in parentheses; empty if the footer does not contain it
 */
private[parquet] final case class Writer(name: String, version: Option[WriterVersion])

private[parquet] object Writer {
  private val Versioned = """(.+?)\s+(?:version\s+)?(?:v|py-)?(\d+(?:\.\d+)*)(\S*).*""".r

  /** @param createdBy null if the footer does not contain it */
  def of(createdBy: String): Writer = {
    val text = Option(createdBy).getOrElse("").replaceAll("""\([^)]*\)""", " ").toLowerCase(Locale.ROOT).trim
    text match {
      case Versioned(name, numbers, suffix) =>
        Writer(name.trim, WriterVersion.of(numbers, isPreRelease = suffix.startsWith("-")))
      case _ => Writer(text, None)
    }
  }
}

/** @param isPreRelease whether it precedes the release of these numbers, such as `1.13.0-SNAPSHOT` */
private[parquet] final case class WriterVersion(numbers: Seq[Int], isPreRelease: Boolean) {

  /** Whether a file of this version may lack a change that was made in `release`. */
  def isBefore(release: WriterVersion): Boolean = {
    val order = compareNumbers(release)
    order < 0 || (order == 0 && isPreRelease)
  }

  /** Like `compareTo`. Missing numbers are 0. */
  def compareNumbers(other: WriterVersion): Int = numbers
    .zipAll(other.numbers, 0, 0)
    .collectFirst { case (a, b) if a != b => Integer.compare(a, b) }
    .getOrElse(0)
}

private[parquet] object WriterVersion {

  /** None if a number is too large for a version number. */
  def of(numbers: String, isPreRelease: Boolean = false): Option[WriterVersion] = {
    val parts = numbers.split('.').toSeq.map(number => Try(number.toInt).toOption)
    if (parts.forall(_.nonEmpty)) Some(WriterVersion(parts.flatten, isPreRelease)) else None
  }
}
