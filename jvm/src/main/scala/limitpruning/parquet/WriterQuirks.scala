package limitpruning.parquet

import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY

/** What a file says of a column that its writer may have got wrong. */
private[parquet] sealed trait Claim

private[parquet] object Claim {
  case object NullCount extends Claim

  /** The null count may be too high, but 0 is 0. */
  case object NullCountAboveZero extends Claim
  case object Bounds extends Claim
  case object BloomFilter extends Claim

  val all: Set[Claim] = Set(NullCount, Bounds, BloomFilter)
}

/**
 * What is not believed of files by one writer.
 *
 * @param fixedIn the first release without the quirk, if it is known; files that tell no version are older
 * @param source where the quirk is described
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

/** What is to be believed of one file, by who wrote it: whatever a quirk touches is unknown. */
private[parquet] final class WriterQuirks(createdBy: String) {
  private val quirks = WriterQuirks.table.filter(_.isOf(Writer.of(createdBy)))

  /** The same chunk without what is not believed of this column. */
  def believed(column: PrimitiveType): ColumnChunk => ColumnChunk = {
    val doubted = doubtedOf(column)
    if (doubted.isEmpty) identity
    else
      chunk =>
        chunk.copy(
          nullCount = chunk.nullCount.filterNot { count =>
            doubted(Claim.NullCount) || (doubted(Claim.NullCountAboveZero) && count > 0)
          },
          bounds = chunk.bounds.filterNot(_ => doubted(Claim.Bounds))
        )
  }

  def believesBloomFilters(column: PrimitiveType): Boolean = !doubtedOf(column)(Claim.BloomFilter)

  private def doubtedOf(column: PrimitiveType): Set[Claim] =
    quirks.iterator.filter(_.concerns(column)).flatMap(_.doubted).toSet
}

private[parquet] object WriterQuirks {
  import Claim._

  /**
   * The quirks, a line each. To add one: the line, a file by that writer in `tests/data/quirks` or a footer edited like
   * its footers, and a test that names the source.
   */
  // format: off
  val table: Seq[WriterQuirk] = Seq(
    // Arrays that are dictionaries already: nulls were not counted, and all chunks but the first had no say in the bounds.
    quirk("parquet-cpp-arrow", fixedIn("6.0.0"), byteArrays, Set(NullCount), "ARROW-12513"),
    quirk("parquet-cpp-arrow", fixedIn("12.0.0"), byteArrays, Set(Bounds), "apache/arrow#15042"),
    // The name of the same writer until Arrow 2.
    quirk("parquet-cpp", noRelease, byteArrays, Set(NullCount, Bounds), "apache/arrow#10729"),
    // Decimals compared otherwise than as signed numbers.
    quirk("parquet-cpp-arrow", fixedIn("6.0.0"), decimals, Set(Bounds), "ARROW-6149"),
    quirk("parquet-cpp", noRelease, decimals, Set(Bounds), "G-Research/ParquetSharp#68"),
    quirk("parquet-rs", fixedIn("14.0.0"), decimals, Set(Bounds), "apache/arrow-rs#1621"),
    quirk("parquet-rs", noRelease, c => decimals(c) && byteArrays(c), Set(Bounds), "apache/arrow-rs#11073"),
    quirk("polars", fixedIn("2.0.0"), decimals, Set(Bounds), "pola-rs/polars#29347"),
    quirk("clickhouse", noRelease, decimals, Set(Bounds), "ClickHouse/ClickHouse#83754"),
    quirk("hyparquet", noRelease, decimals, Set(Bounds), "hyparam/hyparquet-writer#38"),
    // Columns of nulls alone were said to have none.
    quirk("parquet-rs", fixedIn("5.0.0"), anyColumn, Set(NullCount), "apache/arrow-rs#306"),
    // Polars until it had a writer of its own: a max that is too low, and no nulls in categories.
    quirk("arrow2 - native rust implementation of arrow", noRelease, anyColumn, Claim.all, "pola-rs/polars#7842"),
    // The null count times the number of pages.
    quirk("polars", fixedIn("2.0.0"), anyColumn, Set(NullCountAboveZero), "pola-rs/polars#29321"),
    // The nulls of a row group and of all before it.
    quirk("duckdb", fixedIn("1.1.0"), anyColumn, Set(NullCountAboveZero), "duckdb-0.9.2.parquet"),
    // A writer without a name cannot be looked up; cuDF, which counted nulls wrongly, was one of them.
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
