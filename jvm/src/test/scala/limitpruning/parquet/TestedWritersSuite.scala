package limitpruning.parquet

import org.scalatest.funsuite.AnyFunSuite

class TestedWritersSuite extends AnyFunSuite {

  test("versions from the first to the last are tested, whatever follows their numbers") {
    for (
      writer <- Seq(
        "parquet-mr version 1.13.1 (build abc)",
        "parquet-mr version 1.15.0",
        "parquet-mr version 1.17.3 (build abc)",
        "parquet-cpp-arrow version 18.0.0-SNAPSHOT",
        "parquet-cpp-arrow version 26.0.1",
        "Polars (python) version 2.1.0 (build abc)",
        "DuckDB version v2.0.0 (build abc)",
        "fastparquet-python version 2026.9.0 (build 0)"
      )
    ) assert(TestedWriters.contain(writer), writer)
  }

  test("other versions are not tested") {
    for (
      writer <- Seq(
        "parquet-mr version 1.12.3",
        "parquet-mr version 1.14.4",
        "parquet-mr version 1.18.0",
        "parquet-mr",
        "parquet-cpp-arrow version 17.0.0",
        "parquet-cpp-arrow version 27.0.0",
        "Polars",
        "impala version 2.0.0",
        "",
        null
      )
    ) assert(!TestedWriters.contain(writer), String.valueOf(writer))
  }
}
