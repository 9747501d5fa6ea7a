"""What footers leave undecided is decided by dictionaries and bloom filters, within a budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from limit_pruning import LimitReport
from support.runs import conf, hold_sql

GROUPS = [["OK", "ok", "Ok"], ["OK", "Error", "late"], ["oK", "OK", "ok"], ["late", "later", "x"]]
BUDGET = "spark.limitPruning.planning.maxBytes"


@pytest.fixture(autouse=True)
def whatever_it_takes(spark: SparkSession) -> Iterator[None]:
    """Read metadata about these small row groups, although a scan takes little."""
    with conf(spark, {"spark.limitPruning.pages.minBytes": "0"}):
        yield


def write(folder: Path, column: pa.DataType, groups: list[list[Any]], **options: Any) -> None:
    """Write one file with an id and a column ``c``, a row group for each list."""
    folder.mkdir(parents=True, exist_ok=True)
    schema = pa.schema([("id", pa.int64()), ("c", column)])
    start = 0
    with pq.ParquetWriter(folder / "f.parquet", schema, **options) as writer:
        for group in groups:
            ids = list(range(start, start + len(group)))
            writer.write_table(pa.table({"id": ids, "c": group}, schema=schema))
            start += len(group)


def held(spark: SparkSession, folder: Path, predicate: str, limit: int) -> LimitReport:
    """Hold the LIMIT to all that plain Spark finds, and return its report."""
    query = f"SELECT id FROM parquet.`{folder.as_uri()}` WHERE {predicate}"
    return hold_sql(spark, query, limit).only


@pytest.mark.parametrize(
    ("predicate", "fully_matching"),
    [
        ("upper(c) = 'OK'", 2),
        ("c LIKE '%k' OR c = 'OK'", 1),
        ("c RLIKE '^[oO]'", 2),
        ("length(c) = 2", 2),
        ("CASE WHEN c = 'late' THEN false ELSE true END", 2),
        ("c <> 'Error'", 3),
        ("c NOT IN ('Error', 'x')", 2),
    ],
)
def test_a_dictionary_proves_any_function(
    spark: SparkSession, tmp_path: Path, predicate: str, fully_matching: int
) -> None:
    write(tmp_path / "t", pa.string(), [group * 40 for group in GROUPS])
    report = held(spark, tmp_path / "t", predicate, 120 * fully_matching)
    assert report.covered
    assert report.row_groups.fully_matched == fully_matching


def test_a_null_beside_the_dictionary_is_not_forgotten(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "t", pa.string(), [["OK", "ok", None] * 40, ["OK", "ok"] * 40])
    report = held(spark, tmp_path / "t", "upper(c) = 'OK'", 100)
    assert not report.covered
    assert report.row_groups.fully_matched == 1


def test_a_chunk_that_fell_back_to_plain_pages_is_not_proved(
    spark: SparkSession, tmp_path: Path
) -> None:
    common = ["ok"] * 3000 + [f"word{i}" for i in range(3000)]
    options = {"dictionary_pagesize_limit": 1024, "data_page_size": 512, "write_batch_size": 64}
    write(tmp_path / "t", pa.string(), [common], **options)
    assert not held(spark, tmp_path / "t", "length(c) = 2", 3500).covered


def test_line_46_nan_in_a_dictionary_is_seen(spark: SparkSession, tmp_path: Path) -> None:
    nan = float("nan")
    write(tmp_path / "t", pa.float64(), [[1.0, nan] * 50, [1.0, 2.0] * 50, [-0.0, 0.0] * 50])
    assert held(spark, tmp_path / "t", "c <= 2", 150).row_groups.fully_matched == 2
    assert held(spark, tmp_path / "t", "c >= 1", 150).covered, "NaN is above everything"
    assert held(spark, tmp_path / "t", "c = 0", 100).covered, "both zeros are equal"


def test_bloom_filters_prove_what_is_not_there(spark: SparkSession, tmp_path: Path) -> None:
    even = [[2 * i for i in range(start, start + 500)] for start in (0, 100, 200)]
    filters = {"bloom_filter_options": {"c": {"ndv": 500, "fpp": 0.0001}}, "use_dictionary": False}
    write(tmp_path / "t", pa.int64(), even, **filters)
    assert held(spark, tmp_path / "t", "c <> 401", 1000).covered
    assert held(spark, tmp_path / "t", "c NOT IN (401, 403, 405)", 1000).covered
    assert not held(spark, tmp_path / "t", "c <> 402", 1400).covered, "402 is there"
    assert held(spark, tmp_path / "t", "c = 401", 1).row_groups.matched == 0


def test_no_bytes_to_spend_no_dictionary_read(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "t", pa.string(), [group * 40 for group in GROUPS])
    with conf(spark, {BUDGET: "0"}):
        assert not held(spark, tmp_path / "t", "upper(c) = 'OK'", 100).covered
    assert held(spark, tmp_path / "t", "upper(c) = 'OK'", 100).covered


def test_nested_fields_are_columns_too(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    inner = pa.struct([("b", pa.int32()), ("w", pa.string())])
    schema = pa.schema([("id", pa.int64()), ("c", pa.struct([("a", inner)]))])
    with pq.ParquetWriter(folder / "f.parquet", schema) as writer:
        for start, with_null in ((0, False), (100, True), (200, False)):
            values = [{"a": {"b": start + i, "w": "x" if i % 2 else "X"}} for i in range(100)]
            rows: list[Any] = [None, {"a": None}, *values[2:]] if with_null else values
            ids = list(range(start, start + 100))
            writer.write_table(pa.table({"id": ids, "c": rows}, schema=schema))
    assert held(spark, folder, "c.a.b >= 100", 98).row_groups.fully_matched == 1
    assert held(spark, folder, "c.a.b IS NOT NULL", 150).covered
    assert not held(spark, folder, "c.a.b IS NOT NULL", 250).covered
    assert held(spark, folder, "upper(c.a.w) = 'X'", 150).covered
