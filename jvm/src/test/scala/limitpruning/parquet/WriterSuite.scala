package limitpruning.parquet

import org.scalatest.funsuite.AnyFunSuite

class WriterSuite extends AnyFunSuite {
  private def version(numbers: Int*): Some[WriterVersion] = Some(WriterVersion(numbers, isPreRelease = false))

  test("a writer that follows the format's recommendation has a name and a version") {
    val hive = Writer.of("parquet-mr version 1.17.0 (build 019361e0da0677360788f0ad96c520fb8c296d7d)")
    assert(hive == Writer("parquet-mr", version(1, 17, 0)))
    assert(Writer.of("parquet-cpp-arrow version 10.0.1") == Writer("parquet-cpp-arrow", version(10, 0, 1)))
  }

  test("other forms of names are parsed, too") {
    assert(Writer.of("Polars (python) version 2.1.0 (build 7f902bd3)") == Writer("polars", version(2, 1, 0)))
    assert(Writer.of("DuckDB version v1.1.3 (build 19864453f7)") == Writer("duckdb", version(1, 1, 3)))
    assert(Writer.of("ClickHouse v24.8.1.2684") == Writer("clickhouse", version(24, 8, 1, 2684)))
    assert(Writer.of("delta-rs version py-1.6.6") == Writer("delta-rs", version(1, 6, 6)))
    assert(Writer.of("cuDF Version 24.02") == Writer("cudf", version(24, 2)))
  }

  test("a writer without a version or a name has none") {
    assert(Writer.of("Polars") == Writer("polars", None))
    assert(Writer.of("parquet-mr (build 32c46643845ea8a705c35d4ec8fc654cc8ff816d)") ==
      Writer("parquet-mr", None))
    assert(Writer.of("parquet-mr version 99999999999.1").version.isEmpty)
    for (nothing <- Seq(null, "", "  ")) assert(Writer.of(nothing) == Writer("", None))
  }

  test("a release is not before itself, but its snapshots are") {
    def of(text: String): WriterVersion = Writer.of(s"w version $text").version.get
    val release = of("6.0.0")
    for (older <- Seq("5.0.0", "5.9.9", "6.0.0-SNAPSHOT", "6-rc1")) assert(of(older).isBefore(release), older)
    for (newer <- Seq("6.0.0", "6", "6.0.1-SNAPSHOT", "10.0.0")) assert(!of(newer).isBefore(release), newer)
  }
}
