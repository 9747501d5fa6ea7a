package limitpruning.parquet

/**
 * The writers whose statements count as proofs, each for some kinds of statements. What a writer states that is not listed
 * for it proves nothing, whether it is right or not: a list of bad writers is never complete.
 *
 * A line needs evidence: files of this writer in the tests, and its source: tests/data/quirks/README.md.
 * Known errors of listed writers are in [[WriterQuirks]].
 */
private[parquet] object ListedWriters {
  import Claim._

  /**
   * A writer, in lower case, and the first version for some kinds of statements; none if every version counts, and files
   * without a version.
   */
  private final case class Line(writer: String, from: Option[String], claims: Set[Claim]) {
    private val first = from.flatMap(WriterVersion.of(_))

    // What follows the numbers does not matter: 1.12.3-databricks-0002 and 1.10.1-amzn-0 are builds of these releases.
    def contains(by: Writer): Boolean =
      by.name == writer && (from.isEmpty || first.exists(v => by.version.exists(_.compareNumbers(v) >= 0)))
  }

  // format: off
  private val table: Seq[Line] = Seq(
    // parquet-java, which Spark, Hive, Flink, Iceberg, Databricks and EMR use.
    since("parquet-mr", "1.8.1", NullCounts, NumbersMinMax),
    since("parquet-mr", "1.10", NumbersOccur, BytesMinMax, DecimalsMinMax, Dictionaries, EntriesOccur),
    since("parquet-mr", "1.11", PageIndexes),
    since("parquet-mr", "1.12", BloomFilters),
    since("parquet-mr", "1.13", UnsignedMinMax),
    // Arrow C++, which pyarrow, pandas and R use.
    since("parquet-cpp-arrow", "5", NullCounts, NumbersMinMax, BytesMinMax, DecimalsMinMax, Dictionaries),
    since("parquet-cpp-arrow", "18", NumbersOccur),
    since("parquet-cpp-arrow", "18", UnsignedMinMax, PageIndexes),
    since("parquet-cpp-arrow", "26", BloomFilters),
    // Arrow Rust, which writes under the names of its users, too.
    since("parquet-rs", "49", NullCounts, NumbersMinMax, BytesMinMax, DecimalsMinMax, Dictionaries, BloomFilters),
    since("parquet-rs", "55", PageIndexes), // older ones leave out bounds of pages: apache/arrow-rs#6310
    since("delta-rs", "1.6", NullCounts, NumbersMinMax, BytesMinMax, DecimalsMinMax, PageIndexes, Dictionaries),
    since("datafusion", "52", NullCounts, NumbersMinMax, BytesMinMax, DecimalsMinMax, PageIndexes, Dictionaries),
    always("duckdb", NullCounts, NumbersMinMax, BytesMinMax, DecimalsMinMax, Dictionaries),
    since("duckdb", "2.0", UnsignedMinMax, BloomFilters),
    always("polars", NullCounts, NumbersMinMax, BytesMinMax, DecimalsMinMax),
    since("polars", "2.1", PageIndexes),
    // Its min and max of categories are in the order of the categories.
    since("fastparquet-python", "2026.9", NullCounts, Dictionaries),
    // Trino has parquet-java's statistics. It writes no page indexes.
    since("parquet-mr-trino", "474", NullCounts, NumbersMinMax, BytesMinMax, DecimalsMinMax, Dictionaries)
  )
  // format: on

  /** The kinds of statements of a writer that count. */
  def claimsOf(writer: Writer): Set[Claim] = table.iterator.filter(_.contains(writer)).flatMap(_.claims).toSet

  private def since(writer: String, release: String, claims: Claim*): Line =
    Line(writer, Some(release), claims.toSet)

  private def always(writer: String, claims: Claim*): Line = Line(writer, None, claims.toSet)
}
