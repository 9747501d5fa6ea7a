package limitpruning.parquet

import java.util.Locale

import org.apache.spark.sql.catalyst.util.RebaseDateTime
import org.apache.spark.sql.execution.datasources.DataSourceUtils

/**
 * The writer of a file, from `created_by` in its footer: `parquet-mr version 1.17.0 (build …)`, `DuckDB
 * version v1.1.3`, `Polars`, or nothing.
 *
 * @param name in lower case, without text in parentheses; empty if the footer does not contain it
 */
private[parquet] final case class Writer(name: String, version: Option[WriterVersion])

private[parquet] object Writer {
  private val Versioned = """(.+?)\s+(?:version\s+)?v?(\d+(?:\.\d+)*)(\S*).*""".r

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
    val parts = numbers.split('.').toSeq.map(_.toIntOption)
    if (parts.forall(_.nonEmpty)) Some(WriterVersion(parts.flatten, isPreRelease)) else None
  }
}

/**
 * The writers and versions whose files the tests read. With the setting `trustedWritersOnly`, only these are
 * trusted.
 */
private[limitpruning] object TestedWriters {

  /**
   * Names with the first and the last version. Numbers that the last version does not contain can have any
   * value.
   */
  private val table = Seq(
    "parquet-mr" -> ("1.15", "1.17"), // Spark 4.0 to 4.3
    "parquet-cpp-arrow" -> ("18", "26"),
    "polars" -> ("2.0", "2.1"),
    "duckdb" -> ("2.0", "2.0"),
    "fastparquet-python" -> ("2026.9", "2026.9")
  )

  /** @param createdBy of the file's footer, null if there is none */
  def contain(createdBy: String): Boolean = {
    val writer = Writer.of(createdBy)
    table.exists { case (name, (first, last)) =>
      name == writer.name && writer.version.exists(v => isFrom(v, first) && isUpTo(v, last))
    }
  }

  private def isFrom(version: WriterVersion, first: String): Boolean =
    WriterVersion.of(first).exists(version.compareNumbers(_) >= 0)

  private def isUpTo(version: WriterVersion, last: String): Boolean = WriterVersion.of(last).exists { end =>
    version.copy(numbers = version.numbers.take(end.numbers.size)).compareNumbers(end) <= 0
  }
}

/**
 * The dates and timestamps of a file that the reader does not change. Files in the old hybrid calendar are
 * rebased when they are read. Their ancient values are then other days than min and max.
 *
 * @param isProleptic whether no value of the file is rebased
 */
private[parquet] final case class Calendar(isProleptic: Boolean) {

  /** @param days since 1970-01-01, as stored */
  def trustsDays(days: Int): Boolean = isProleptic || days >= RebaseDateTime.lastSwitchJulianDay

  /** @param micros microseconds since 1970-01-01T00:00:00Z, as stored */
  def trustsMicros(micros: Long): Boolean = isProleptic || micros >= RebaseDateTime.lastSwitchJulianTs
}

private[parquet] object Calendar {

  /**
   * @param keyValues the key-value metadata of the file's footer
   * @param rebaseMode the session's or the relation's `datetimeRebaseModeInRead`
   */
  def of(keyValues: Map[String, String], rebaseMode: String): Calendar = {
    val spec = DataSourceUtils.datetimeRebaseSpec(keyValues.getOrElse(_, null), rebaseMode)
    Calendar(isProleptic = spec.mode.toString == "CORRECTED")
  }
}
