package limitpruning.parquet

import java.util.Locale

import scala.util.Try

import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
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
    val parts = numbers.split('.').toSeq.map(number => Try(number.toInt).toOption)
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
    "parquet-mr" -> ("1.13", "1.13"), // Spark 3.5
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
 * @param readsInt96AsStored whether the reader does not shift INT96 timestamps by a time zone
 */
private[parquet] final case class Calendar(isProleptic: Boolean, readsInt96AsStored: Boolean = true) {

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

/** Metadata of a column that a writer may have written incorrectly. */
private[parquet] sealed trait Claim

private[parquet] object Claim {
  case object NullCount extends Claim

  /** The null count may be too high, but a count of 0 is correct. */
  case object NullCountAboveZero extends Claim
  case object MinMax extends Claim
  case object BloomFilter extends Claim

  val all: Set[Claim] = Set(NullCount, MinMax, BloomFilter)
}

/**
 * Metadata that are not trusted in files of one writer.
 *
 * @param fixedIn the first release without the bug, if it is known; a file without a version counts as older
 * @param source where the bug is described
 */
private[parquet] final case class WriterQuirk(
    writer: String,
    fixedIn: Option[String],
    concerns: PrimitiveType => Boolean,
    doubted: Set[Claim],
    source: String
) {
  private val fixedVersion = fixedIn.flatMap(WriterVersion.of(_))

  def isOf(by: Writer): Boolean =
    by.name == writer && !fixedVersion.exists(fixed => by.version.exists(!_.isBefore(fixed)))
}

/** The metadata of one file that are trusted, by its writer. Metadata that a quirk affects are unknown. */
private[parquet] final class WriterQuirks(createdBy: String) {
  private val writer = Writer.of(createdBy)
  private val quirks = WriterQuirks.table.filter(_.isOf(writer))
  private val comparesUnsigned = UnsignedWriters.contain(writer)

  /** The same chunk without the metadata that are not trusted for this column. */
  def believed(column: PrimitiveType): ColumnChunk => ColumnChunk = {
    val doubted = doubtedOf(column)
    if (doubted.isEmpty) identity
    else
      chunk =>
        chunk.copy(
          nullCount = chunk.nullCount.filterNot { count =>
            doubted(Claim.NullCount) || (doubted(Claim.NullCountAboveZero) && count > 0)
          },
          minMax = chunk.minMax.filterNot(_ => doubted(Claim.MinMax))
        )
  }

  def believesBloomFilters(column: PrimitiveType): Boolean = !doubtedOf(column)(Claim.BloomFilter)

  private def doubtedOf(column: PrimitiveType): Set[Claim] = {
    val doubted = quirks.iterator.filter(_.concerns(column)).flatMap(_.doubted).toSet
    if (comparesUnsigned || !UnsignedWriters.concern(column)) doubted else doubted + Claim.MinMax
  }
}

/**
 * The writers that compare unsigned integers of 32 and 64 bits as unsigned, also when they merge the statistics of pages to
 * those of a chunk. Polars merges them as signed: of pages with 0 … 2³²-1 and 3 … 9, it writes 0 … 9. Nothing in the file
 * shows this. Therefore only writers whose files the tests read are trusted. Narrower integers are never negative in INT32.
 */
private[parquet] object UnsignedWriters {

  /** Names with the first version that the tests cover. */
  private val table = Seq("parquet-mr" -> "1.15", "parquet-cpp-arrow" -> "18", "duckdb" -> "2.0")

  def contain(writer: Writer): Boolean = table.exists { case (name, first) =>
    name == writer.name && WriterVersion.of(first).exists(from => writer.version.exists(!_.isBefore(from)))
  }

  /** Whether values of the column may be negative if they are compared as signed. */
  def concern(column: PrimitiveType): Boolean = column.getLogicalTypeAnnotation match {
    case int: LogicalTypeAnnotation.IntLogicalTypeAnnotation => !int.isSigned && int.getBitWidth >= 32
    case _ => false
  }
}

private[parquet] object WriterQuirks {
  import Claim._

  /**
   * The quirks, one line each. A new quirk needs three things: the line; a file of that writer in
   * `tests/data/quirks`, or a footer that is edited like its footers; and a test that names the source.
   */
  // format: off
  val table: Seq[WriterQuirk] = Seq(
    // Arrays that are already dictionaries: nulls were not counted, and only the first chunk was included in
    // min and max.
    quirk("parquet-cpp-arrow", fixedIn("6.0.0"), byteArrays, Set(NullCount), "ARROW-12513"),
    quirk("parquet-cpp-arrow", fixedIn("12.0.0"), byteArrays, Set(MinMax), "apache/arrow#15042"),
    // The name of the same writer up to Arrow 2.
    quirk("parquet-cpp", noRelease, byteArrays, Set(NullCount, MinMax), "apache/arrow#10729"),
    // Decimals were not compared as signed numbers.
    quirk("parquet-cpp-arrow", fixedIn("6.0.0"), decimals, Set(MinMax), "ARROW-6149"),
    quirk("parquet-cpp", noRelease, decimals, Set(MinMax), "G-Research/ParquetSharp#68"),
    quirk("parquet-rs", fixedIn("14.0.0"), decimals, Set(MinMax), "apache/arrow-rs#1621"),
    quirk("parquet-rs", noRelease, c => decimals(c) && byteArrays(c), Set(MinMax), "apache/arrow-rs#11073"),
    quirk("polars", fixedIn("2.0.0"), decimals, Set(MinMax), "pola-rs/polars#29347"),
    quirk("clickhouse", noRelease, decimals, Set(MinMax), "ClickHouse/ClickHouse#83754"),
    quirk("hyparquet", noRelease, decimals, Set(MinMax), "hyparam/hyparquet-writer#38"),
    // The null count of columns with only nulls was 0.
    quirk("parquet-rs", fixedIn("5.0.0"), anyColumn, Set(NullCount), "apache/arrow-rs#306"),
    // Polars before it had its own writer: the max is too low, and nulls in categories are not counted.
    quirk("arrow2 - native rust implementation of arrow", noRelease, anyColumn, Claim.all, "pola-rs/polars#7842"),
    // The null count was multiplied by the number of pages.
    quirk("polars", fixedIn("2.0.0"), anyColumn, Set(NullCountAboveZero), "pola-rs/polars#29321"),
    // The null count included all previous row groups.
    quirk("duckdb", fixedIn("1.1.0"), anyColumn, Set(NullCountAboveZero), "duckdb-0.9.2.parquet"),
    // A writer without a name cannot be identified. cuDF, which counted nulls incorrectly, was one of them.
    quirk("", noRelease, anyColumn, Claim.all, "NVIDIA/cudf#9303")
  )
  // format: on

  private def quirk(
      writer: String,
      fixedIn: Option[String],
      concerns: PrimitiveType => Boolean,
      doubted: Set[Claim],
      source: String
  ): WriterQuirk = WriterQuirk(writer, fixedIn, concerns, doubted, source)

  private def fixedIn(release: String): Option[String] = Some(release)
  private def noRelease: Option[String] = None
  private def anyColumn: PrimitiveType => Boolean = _ => true
  private def byteArrays: PrimitiveType => Boolean = _.getPrimitiveTypeName == BINARY
  private def decimals: PrimitiveType => Boolean =
    _.getLogicalTypeAnnotation.isInstanceOf[LogicalTypeAnnotation.DecimalLogicalTypeAnnotation]
}
