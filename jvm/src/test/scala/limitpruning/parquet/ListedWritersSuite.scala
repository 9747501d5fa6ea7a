package limitpruning.parquet

import org.apache.parquet.schema.{MessageTypeParser, PrimitiveType}
import org.scalatest.funsuite.AnyFunSuite

class ListedWritersSuite extends AnyFunSuite {
  private val chunk = ColumnChunk(rows = 10, values = 10, Some(0L), Some((1, 5)), mayBeCut = false)

  private val int = column("optional int64 c")
  private val float = column("optional double c")
  private val text = column("optional binary c (STRING)")
  private val decimal = column("optional fixed_len_byte_array(16) c (DECIMAL(30,2))")
  private val unsigned = Seq(column("optional int32 c (UINT_32)"), column("optional int64 c (UINT_64)"))
  private val narrow = Seq(column("optional int32 c (UINT_8)"), column("optional int32 c (UINT_16)"))

  private def column(field: String): PrimitiveType =
    MessageTypeParser.parseMessageType(s"message m { $field; }").getType(0).asPrimitiveType

  private def provesNulls(writer: String): Boolean =
    new TrustedClaims(writer).proved(int)(chunk).nullCount.nonEmpty

  private def provesMinMax(writer: String, column: PrimitiveType): Boolean =
    new TrustedClaims(writer).proved(column)(chunk).minMax.nonEmpty

  test("line 88: everything that the newest releases state is a proof, without what they do not write") {
    for (
      (writer, notWritten) <- Seq(
        ("parquet-mr version 1.17.0 (build fac0c746532e133beb928a7f6a7e57b510b477a1)", Set.empty[Claim]),
        // It writes the dictionary of a dictionary array with entries that no row has.
        ("parquet-cpp-arrow version 26.0.1", Set[Claim](Claim.EntriesOccur))
      )
    ) {
      assert(ListedWriters.claimsOf(Writer.of(writer)) == Claim.all -- notWritten, writer)
      for (column <- Seq(int, float, text, decimal) ++ unsigned ++ narrow)
        assert(new TrustedClaims(writer).proved(column)(chunk) == chunk, s"$writer, $column")
    }
  }

  test("line 88: nothing that another writer states is a proof") {
    val others = Seq(
      "Parquet.Net version 6.1.0 (build 0123456789)",
      "Parquet.Net version %Version% (build %Git.LongCommitHash%)",
      "ClickHouse v26.3.3.20",
      "hyparquet",
      "github.com/segmentio/parquet-go",
      "github.com/parquet-go/parquet-go version 0.25.0(build )",
      "impala version 2.12.0-SNAPSHOT (build 2c25808629f84efe8e79ab57ed2d0d212c06ade0)",
      "parquet-mr",
      "parquet-mr version 1.6.0",
      "parquet-mr-other version 99",
      "parquet-cpp version 1.5.1-SNAPSHOT",
      "parquet-mr-trino version testversion (build n/a)",
      "parquet-cpp-velox version 0.0.0",
      "cudf version 24.06.00",
      "RAPIDS Spark Plugin",
      "someone else version 99.0",
      "",
      null
    )
    for (writer <- others) {
      val trust = new TrustedClaims(writer)
      assert(!provesNulls(writer) && !trust.provesByPages && !trust.provesByDictionaries, s"of $writer")
      for (column <- Seq(int, float, text, decimal) ++ unsigned ++ narrow) {
        assert(!provesMinMax(writer, column) && !trust.provesByBloomFilters(column), s"$writer, $column")
        assert(!trust.isListed(column), s"of $writer")
      }
    }
  }

  test("line 88: builds of Databricks and EMR are builds of the release whose number they have") {
    for (
      writer <- Seq(
        "parquet-mr version 1.12.3-databricks-0002 (build 2484a95dbe16a0023e3eb29c201f99ff9ea771ee)",
        "parquet-mr version 1.12.0-amzn-0 (build abc)",
        "parquet-mr version 1.12.0-SNAPSHOT (build 6901a2040848c6b37fa61f4b0a76246445f396db)"
      )
    ) {
      val claims = ListedWriters.claimsOf(Writer.of(writer))
      assert(claims == Claim.all - Claim.UnsignedMinMax, writer)
    }
    val old = ListedWriters.claimsOf(Writer.of("parquet-mr version 1.10.1-databricks6 (build bd2ebf87)"))
    assert(old(Claim.BytesMinMax) && old(Claim.Dictionaries) && !old(Claim.PageIndexes))
  }

  test("line 88: a writer counts from the first release that is listed for a kind of statement") {
    def claims(writer: String) = ListedWriters.claimsOf(Writer.of(writer))
    assert(claims("parquet-mr version 1.8.2 (build c65)") == Set(Claim.NullCounts, Claim.NumbersMinMax))
    assert(claims("parquet-mr version 1.8.0 (build 0fd)").isEmpty)
    assert(claims("parquet-cpp-arrow version 4.0.0").isEmpty)
    assert(claims("parquet-rs version 9.0.0").isEmpty)
    assert(claims("fastparquet-python version 2023.1.0 (build 0)").isEmpty)
    assert(claims("parquet-mr-trino version 473 (build n/a)").isEmpty)
    val trino = claims("parquet-mr-trino version 480-e.5")
    assert(trino(Claim.DecimalsMinMax) && !trino(Claim.PageIndexes) && !trino(Claim.BloomFilters))
    assert(claims("impala version 4.4.0-RELEASE (build abc)").isEmpty)
    assert(claims("DuckDB")(Claim.NumbersMinMax) && !claims("DuckDB")(Claim.BloomFilters))
    assert(claims("Polars")(Claim.NumbersMinMax) && !claims("Polars")(Claim.PageIndexes))
    assert(claims("fastparquet-python version 2026.9.0") == Set(Claim.NullCounts, Claim.Dictionaries))
  }

  test("line 46: min and max of floats that miss pages with NaN are no proofs") {
    for (column <- Seq(float, column("optional float c"))) {
      for (writer <- Seq("parquet-mr version 1.9.0", "Polars", "Polars (python) version 2.0.0"))
        assert(!provesMinMax(writer, column) && provesMinMax(writer, int), writer)
      for (writer <- Seq("parquet-mr version 1.10.0", "Polars (python) version 2.1.0"))
        assert(provesMinMax(writer, column), writer)
    }
  }

  test(
    "line 79: unsigned integers of 32 and 64 bits only of writers that merge their statistics as unsigned"
  ) {
    val tested = Seq("parquet-mr version 1.17.0", "parquet-cpp-arrow version 26.0.1", "DuckDB version v2.0.0")
    val others = Seq(
      "Polars (python) version 2.0.0",
      "parquet-rs version 59.3.0",
      "parquet-cpp-arrow version 17.0.0",
      "DuckDB"
    )
    for (writer <- tested; column <- unsigned ++ narrow) assert(provesMinMax(writer, column), writer)
    for (writer <- others) {
      for (column <- unsigned) assert(!provesMinMax(writer, column), writer)
      for (column <- narrow) assert(provesMinMax(writer, column), writer)
      assert(provesMinMax(writer, int) && provesNulls(writer), writer)
    }
  }

  test("line 88: what is not a proof only because the writer is not listed is named") {
    val other = new TrustedClaims("other version 1")
    assert(other.unlisted(text, chunk) == Seq(Claim.BytesMinMax, Claim.NullCounts))
    assert(other.unlisted(text, chunk.copy(minMax = None)) == Seq(Claim.NullCounts))
    assert(other.unlisted(int, chunk.copy(nullCount = None, minMax = None)).isEmpty)
    assert(new TrustedClaims("parquet-mr version 1.17.0").unlisted(text, chunk).isEmpty)
    assert(new TrustedClaims("").unlisted(text, chunk).isEmpty, "known errors are no claims")
  }
}
