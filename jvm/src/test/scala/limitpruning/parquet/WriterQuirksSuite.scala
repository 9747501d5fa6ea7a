package limitpruning.parquet

import org.apache.parquet.schema.{MessageTypeParser, PrimitiveType}
import org.scalatest.funsuite.AnyFunSuite

class WriterQuirksSuite extends AnyFunSuite {
  private val chunk = ColumnChunk(rows = 10, values = 10, Some(3L), Some((1, 5)), mayBeCut = false)

  private val int = column("optional int64 c")
  private val text = column("optional binary c (STRING)")
  private val decimal = column("optional fixed_len_byte_array(16) c (DECIMAL(30,2))")
  private val decimalInBytes = column("optional binary c (DECIMAL(30,2))")

  private def column(field: String): PrimitiveType =
    MessageTypeParser.parseMessageType(s"message m { $field; }").getType(0).asPrimitiveType

  private def believesNulls(createdBy: String, column: PrimitiveType, count: Long): Boolean =
    new TrustedClaims(createdBy).claimed(column)(chunk.copy(nullCount = Some(count))).nullCount.nonEmpty

  private def believesMinMax(createdBy: String, column: PrimitiveType): Boolean =
    new TrustedClaims(createdBy).claimed(column)(chunk).minMax.nonEmpty

  test("line 51: chunks of a writer without quirks are as they were written") {
    for {
      writer <- Seq(
        "parquet-mr version 1.17.0",
        "parquet-cpp-arrow version 26.0.1",
        "someone else",
        "Polars version 2.1.0"
      )
      column <- Seq(int, text, decimal)
    } assert(new TrustedClaims(writer).claimed(column)(chunk) == chunk, s"$writer, $column")
  }

  test(
    "line 44: null counts of dictionary arrays, before they were counted: ARROW-12513, apache/arrow#10729"
  ) {
    for (
      writer <- Seq(
        "parquet-cpp-arrow version 5.0.0",
        "parquet-cpp-arrow version 6.0.0-SNAPSHOT",
        "parquet-cpp-arrow"
      )
    )
      for (count <- Seq(0L, 3L)) assert(!believesNulls(writer, text, count), writer)
    assert(!believesNulls("parquet-cpp version 1.5.1-SNAPSHOT", text, 0))
    assert(believesNulls("parquet-cpp-arrow version 6.0.0", text, 0))
    assert(believesNulls("parquet-cpp-arrow version 5.0.0", int, 0), "the column is of another type")
  }

  test(
    "line 44: counts that are too high, although 0 is correct: pola-rs/polars#29321, duckdb-0.9.2.parquet"
  ) {
    for (writer <- Seq("Polars", "DuckDB", "DuckDB version v1.0.0"))
      for (column <- Seq(int, text)) {
        assert(!believesNulls(writer, column, 3), writer)
        assert(believesNulls(writer, column, 0), writer)
        assert(believesMinMax(writer, column), writer)
      }
    assert(believesNulls("DuckDB version v1.1.0", int, 3) &&
      believesNulls("Polars (python) version 2.0.0", int, 3))
  }

  test("line 44: columns of only nulls with a null count of 0: apache/arrow-rs#306") {
    assert(!believesNulls("parquet-rs version 4.4.0", int, 0))
    assert(believesNulls("parquet-rs version 5.0.0", int, 0))
  }

  test("line 45: min and max of only the first chunk: apache/arrow#15042") {
    for (writer <- Seq("parquet-cpp-arrow version 10.0.1", "parquet-cpp version 1.5.1-SNAPSHOT"))
      assert(!believesMinMax(writer, text) && believesMinMax(writer, int), writer)
    assert(believesMinMax("parquet-cpp-arrow version 12.0.0", text))
  }

  test(
    "line 17: decimals that were not compared as numbers: ARROW-6149, G-Research/ParquetSharp#68, " +
      "apache/arrow-rs#1621, pola-rs/polars#29347, ClickHouse/ClickHouse#83754, hyparam/hyparquet-writer#38"
  ) {
    val writers = Seq(
      "parquet-cpp-arrow version 5.0.0",
      "parquet-cpp version 1.5.1-SNAPSHOT",
      "parquet-rs version 13.0.0",
      "Polars",
      "ClickHouse v24.8.1.2684",
      "hyparquet"
    )
    for (writer <- writers) {
      assert(!believesMinMax(writer, decimal), writer)
      assert(believesMinMax(writer, int), writer)
    }
    for (
      writer <- Seq("parquet-cpp-arrow version 6.0.0", "parquet-rs version 14.0.0", "Polars version 2.0.0")
    )
      assert(believesMinMax(writer, decimal), writer)
  }

  test("line 17: decimals in byte arrays of variable length: apache/arrow-rs#11073") {
    assert(!believesMinMax("parquet-rs version 59.3.0", decimalInBytes))
    assert(believesMinMax("parquet-rs version 59.3.0", decimal) &&
      believesMinMax("parquet-rs version 59.3.0", text))
  }

  test(
    "line 51: nothing is believed of writers that are no more, or have no name: pola-rs/polars#7842, NVIDIA/cudf#9303"
  ) {
    for (
      writer <- Seq("Arrow2 - Native Rust implementation of Arrow", "", null);
      column <- Seq(int, text, decimal)
    ) {
      val trust = new TrustedClaims(writer)
      assert(trust.claimed(column)(chunk) == chunk.copy(nullCount = None, minMax = None), s"of $writer")
      assert(!trust.provesByBloomFilters(column), s"of $writer")
    }
  }

  test(
    "line 51: each line of the table has a writer in lower case, a source of its own and a release that can be read"
  ) {
    val table = WriterQuirks.table
    assert(table.map(_.source).distinct.size == table.size)
    for (quirk <- table) {
      assert(quirk.writer == Writer.of(quirk.writer).name)
      assert(quirk.doubted.nonEmpty)
      assert(quirk.fixedIn.forall(WriterVersion.of(_).nonEmpty))
    }
  }
}
