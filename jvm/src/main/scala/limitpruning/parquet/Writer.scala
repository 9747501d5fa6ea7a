package limitpruning.parquet

import java.util.Locale

/**
 * Who wrote a file, by the `created_by` of its footer: `parquet-mr version 1.17.0 (build …)`, `DuckDB version v1.1.3`,
 * `Polars`, or nothing.
 *
 * @param name in lower case, without what stands in parentheses; empty where the file does not tell
 */
private[parquet] final case class Writer(name: String, version: Option[WriterVersion])

private[parquet] object Writer {
  private val Versioned = """(.+?)\s+(?:version\s+)?v?(\d+(?:\.\d+)*)(\S*).*""".r

  /** @param createdBy null where the footer has none */
  def of(createdBy: String): Writer = {
    val text = Option(createdBy).getOrElse("").replaceAll("""\([^)]*\)""", " ").toLowerCase(Locale.ROOT).trim
    text match {
      case Versioned(name, numbers, suffix) =>
        Writer(name.trim, WriterVersion.of(numbers, isPreRelease = suffix.startsWith("-")))
      case _ => Writer(text, None)
    }
  }
}

/** @param isPreRelease something before the release of these numbers, such as `1.13.0-SNAPSHOT` */
private[parquet] final case class WriterVersion(numbers: Seq[Int], isPreRelease: Boolean) {

  /** Whether a file of this version may lack what came with `release`. */
  def isBefore(release: WriterVersion): Boolean = {
    val order = compareNumbers(release)
    order < 0 || (order == 0 && isPreRelease)
  }

  /** Like `compareTo`; missing numbers are 0. */
  def compareNumbers(other: WriterVersion): Int = numbers
    .zipAll(other.numbers, 0, 0)
    .collectFirst { case (a, b) if a != b => Integer.compare(a, b) }
    .getOrElse(0)
}

private[parquet] object WriterVersion {

  /** None where a number is too large to be one of a version. */
  def of(numbers: String, isPreRelease: Boolean = false): Option[WriterVersion] = {
    val parts = numbers.split('.').toSeq.map(_.toIntOption)
    if (parts.forall(_.nonEmpty)) Some(WriterVersion(parts.flatten, isPreRelease)) else None
  }
}
