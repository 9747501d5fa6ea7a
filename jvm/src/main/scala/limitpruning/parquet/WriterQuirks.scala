package limitpruning.parquet

import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{BINARY, DOUBLE, FLOAT}

/** Metadata of a column that a known error of a writer makes wrong. */
private[parquet] sealed trait Doubt

private[parquet] object Doubt {
  case object NullCount extends Doubt

  /** The null count may be too high, but a count of 0 is correct. */
  case object NullCountAboveZero extends Doubt
  case object MinMax extends Doubt
  case object BloomFilter extends Doubt

  val all: Set[Doubt] = Set(NullCount, MinMax, BloomFilter)
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
    doubted: Set[Doubt],
    source: String
) {
  private val fixedVersion = fixedIn.flatMap(WriterVersion.of(_))

  def isOf(by: Writer): Boolean =
    by.name == writer && !fixedVersion.exists(fixed => by.version.exists(!_.isBefore(fixed)))
}

/** The known errors of writers. */
private[parquet] object WriterQuirks {
  import Doubt._

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
    // A page of floats whose min and max are NaN, because one of its values is NaN, was left out of min and max of the chunk.
    quirk("parquet-mr", fixedIn("1.10.0"), floats, Set(MinMax), "parquet-mr-1.8.1.parquet"),
    quirk("polars", fixedIn("2.1.0"), floats, Set(MinMax), "polars-1.44.2-pages.parquet"),
    // The null count of columns with only nulls was 0.
    quirk("parquet-rs", fixedIn("5.0.0"), anyColumn, Set(NullCount), "apache/arrow-rs#306"),
    // Polars before it had its own writer: the max is too low, and nulls in categories are not counted.
    quirk("arrow2 - native rust implementation of arrow", noRelease, anyColumn, Doubt.all, "pola-rs/polars#7842"),
    // The null count was multiplied by the number of pages.
    quirk("polars", fixedIn("2.0.0"), anyColumn, Set(NullCountAboveZero), "pola-rs/polars#29321"),
    // The null count included all previous row groups.
    quirk("duckdb", fixedIn("1.1.0"), anyColumn, Set(NullCountAboveZero), "duckdb-0.9.2.parquet"),
    // A writer without a name cannot be identified. cuDF, which counted nulls incorrectly, was one of them.
    quirk("", noRelease, anyColumn, Doubt.all, "NVIDIA/cudf#9303")
  )
  // format: on

  private def quirk(
      writer: String,
      fixedIn: Option[String],
      concerns: PrimitiveType => Boolean,
      doubted: Set[Doubt],
      source: String
  ): WriterQuirk = WriterQuirk(writer, fixedIn, concerns, doubted, source)

  private def fixedIn(release: String): Option[String] = Some(release)
  private def noRelease: Option[String] = None
  private def anyColumn: PrimitiveType => Boolean = _ => true
  private def byteArrays: PrimitiveType => Boolean = _.getPrimitiveTypeName == BINARY
  private def floats: PrimitiveType => Boolean =
    column => column.getPrimitiveTypeName == FLOAT || column.getPrimitiveTypeName == DOUBLE
  private def decimals: PrimitiveType => Boolean =
    _.getLogicalTypeAnnotation.isInstanceOf[LogicalTypeAnnotation.DecimalLogicalTypeAnnotation]
}
