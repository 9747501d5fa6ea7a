package limitpruning.parquet

import org.apache.parquet.hadoop.metadata.ColumnPath
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{RawChunk, RawFooter}

class ColumnChunkSuite extends AnyFunSuite {

  private def read(chunk: RawChunk, fields: String = "optional binary c (STRING);"): ColumnChunk =
    RawFooter(fields).rowGroup(10, chunk).footer.statement(0, 0, ColumnPath.get("c")).get

  test("metadata that were not written are none") {
    val silent = read(RawChunk.silent)
    assert(silent == ColumnChunk(rows = 10, values = 10, nullCount = None, minMax = None, mayBeCut = false))
    assert(read(RawChunk.between("a", "b")).nullCount.isEmpty)
    assert(read(RawChunk.silent.nulls(3)).minMax.isEmpty)
  }

  test("metadata are returned as they were written") {
    val chunk = read(RawChunk.between(1, 5).nulls(3).copy(values = Some(12)), "optional int32 c;")
    assert(chunk ==
      ColumnChunk(rows = 10, values = 12, nullCount = Some(3), minMax = Some((1, 5)), mayBeCut = false))
  }

  test("min without max, or max without min, is none") {
    assert(read(RawChunk(min = Some("a"))).minMax.isEmpty)
    assert(read(RawChunk(max = Some("a"))).minMax.isEmpty)
  }

  test(
    "line 16: min and max in the fields of unknown order are none for strings, but valid for signed numbers"
  ) {
    assert(read(RawChunk.between("a", "b").copy(deprecated = true)).minMax.isEmpty)
    assert(read(RawChunk.between(1, 2).copy(deprecated = true), "optional int32 c;").minMax.contains((1, 2)))
  }

  test("lines 10, 13: min or max that is NaN is none") {
    assert(read(RawChunk.between(Double.NaN, 1.0), "optional double c;").minMax.isEmpty)
    assert(read(RawChunk.between(1.0, Double.NaN), "optional double c;").minMax.isEmpty)
  }

  test("line 14: min and max of the truncation length, or marked as inexact, may be truncated") {
    assert(!read(RawChunk.between("a", "x" * 63)).mayBeCut)
    assert(read(RawChunk.between("a", "x" * 64)).mayBeCut)
    assert(read(RawChunk.between("x" * 64, "y")).mayBeCut)
    assert(!read(RawChunk.between("a", "x" * 64).copy(exact = Some(true))).mayBeCut)
    assert(read(RawChunk.between("a", "b").copy(exact = Some(false))).mayBeCut)
  }

  test("line 14: min and max in the old fields may be truncated, too, and are trusted if they are equal") {
    val old = read(RawChunk.between("x" * 64, "x" * 64).copy(deprecated = true))
    assert(old.mayBeCut || old.minMax.isEmpty)
  }
}
