"""Reasons name the parts of files that are not used because the writer is not listed for them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.files import footer_edit
from support.files.quirky_files import DATA, made_by
from support.tables import one_column


def _told(spark: SparkSession, query: str, path: str, predicate: str) -> list[str]:
    limit = limit_pruning.report(spark.sql(query)).only
    assert limit.reason is not None
    assert limit.reason.code == "not-enough-rows"
    return [limit.reason.message, str(limit_pruning.inspect(spark, path, predicate, limit=8))]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("polars-2.0.0", "page indexes, completeness of dictionaries of column id are"),
        ("polars-2.1.0", "(completeness of dictionaries of column id are"),
        ("duckdb-2.0.0", ""),
    ],
)
def test_page_indexes_of_a_writer_that_is_listed_for_statistics(
    spark: SparkSession, name: str, parts: str
) -> None:
    made_by(spark, name)
    path = str(DATA / f"{name}.parquet")
    for told in _told(spark, "SELECT * FROM q WHERE id >= 3 LIMIT 100000", path, "id >= 3"):
        assert ("not used, because the writer is not listed for them" in told) == bool(parts)
        assert parts in told


def test_parts_of_a_writer_that_is_not_listed_at_all(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path / "t", pa.int64(), [[1, 2, 3], [4, 5, 6]], write_page_index=True)
    footer_edit.set_writer(table.path, "some writer version 1.0")
    table.register(spark)
    query = "SELECT * FROM t WHERE c <> 2 AND c <> 5 LIMIT 8"
    for told in _told(spark, query, str(table.path), "c <> 2 AND c <> 5"):
        assert (
            "page indexes, completeness of dictionaries of column c are not used, because the "
            "writer is not listed for them: some writer version 1.0"
        ) in told
