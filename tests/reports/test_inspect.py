"""The inspection of a whole table, from Python."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession, functions
from rich.console import Console

import limit_pruning
from limit_pruning import LimitReport
from support import tables
from support.tables import Table

ALPINE = "species LIKE 'Alpine%' AND s >= 50"


def without_details(limit: LimitReport) -> dict[str, Any]:
    """Return the report without single row groups, and without what differs from run to run."""
    plain = limit.to_dict()
    del plain["row_groups"]["details"], plain["time"], plain["files"]["footers_cached"]
    return plain


def test_the_case_study(spark: SparkSession, wildlife: Table) -> None:
    found = limit_pruning.inspect(spark, "tracking_data", ALPINE, limit=3)
    row_groups = found.row_groups
    states = [group.state for group in row_groups.details]
    assert states == ["not", "partially", "fully", "partially"]
    assert [group.scanned for group in row_groups.details] == [False, False, True, False]
    assert (row_groups.total, row_groups.matched, row_groups.fully_matched) == (4, 3, 1)
    assert row_groups.bytes == sum(group.bytes for group in row_groups.details)
    assert row_groups.omitted == 0
    assert (found.files.total, found.files.inspected) == (1, 1)
    assert (found.rows.total, found.rows.proved) == (len(wildlife.rows), 3)
    assert found.report.covered
    assert found.report.rows.read is None


def test_its_report_of_the_limit_is_that_of_the_query(
    spark: SparkSession, sightings: Table
) -> None:
    for predicate in ("s >= 8", "s % 7 = 3", "day = DATE'2024-01-02'", None):
        found = limit_pruning.inspect(spark, "sightings", predicate, limit=4)
        df = spark.table("sightings").where(predicate or "true").limit(4)
        assert without_details(found.report) == without_details(limit_pruning.report(df).only)
        files = 2 if predicate == "day = DATE'2024-01-02'" else len(sightings.files)
        assert (found.files.total, found.files.inspected) == (files, files)


@pytest.mark.usefixtures("wildlife")
def test_predicates_in_sql_and_as_columns(spark: SparkSession) -> None:
    expected = limit_pruning.inspect(spark, "tracking_data", "s >= 50 AND s < 102", limit=3)
    column = (functions.col("s") >= 50) & (functions.col("s") < 102)
    table = spark.table("tracking_data")
    for found in (
        limit_pruning.inspect(spark, "tracking_data", column, limit=3),
        limit_pruning.inspect(spark, table, column, limit=3),
        limit_pruning.inspect(spark, table.where(column), limit=3),
        limit_pruning.inspect(spark, table.where("s >= 50"), table.s < 102, limit=3),
        limit_pruning.inspect(spark, table.where("s >= 50"), "s < 102", limit=3),
    ):
        assert without_details(found.report) == without_details(expected.report)
        assert found.row_groups == expected.row_groups
        assert found.columns == expected.columns
    assert expected.row_groups.fully_matched == 1


def test_how_columns_are_laid_out(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("sorted", pa.int64()), ("mixed", pa.int64()), ("word", pa.string())])
    groups = [
        {"sorted": [10 * i, 10 * i + 9], "mixed": [i, 100 - i], "word": ["a", "b"]}
        for i in range(5)
    ]
    file = tables.write(
        tmp_path / "t.parquet",
        groups,
        schema,
        write_page_index=True,
        use_dictionary=["word"],
        write_statistics=["sorted", "mixed"],
    )
    columns = {c.name: c for c in limit_pruning.inspect(spark, str(file)).columns}
    assert list(columns) == ["sorted", "mixed", "word"]
    assert columns["sorted"].clustering == "clustered"
    assert columns["mixed"].clustering == "not clustered"
    assert (columns["sorted"].overlap, columns["mixed"].overlap) == (0.0, 1.0)
    assert columns["word"].clustering is None
    assert (columns["sorted"].with_min_max, columns["word"].with_min_max) == (5, 0)
    assert (columns["sorted"].with_dictionary, columns["word"].with_dictionary) == (0, 5)
    assert (columns["sorted"].with_page_index, columns["word"].with_page_index) == (5, 0)
    assert columns["sorted"].type == "BIGINT"


def test_progress_and_fewer_files(spark: SparkSession, sightings: Table) -> None:
    steps: list[tuple[int, int]] = []
    found = limit_pruning.inspect(
        spark, "sightings", max_files=2, progress=lambda *step: steps.append(step)
    )
    assert steps == [(2, 2)]
    assert (found.files.inspected, found.files.total) == (2, len(sightings.files))


@pytest.mark.usefixtures("wildlife")
def test_it_shows_itself(spark: SparkSession) -> None:
    found = limit_pruning.inspect(spark, "tracking_data", ALPINE, limit=3)
    output = io.StringIO()
    Console(width=120, file=output).print(found)
    text = output.getvalue()
    assert "1 of 1 files inspected: 12 rows in 4 row groups" in text
    assert "fully matching" in text
    assert "not clustered" in text
    assert "<svg" in found._repr_html_()
    assert "not clustered" in found._repr_html_()
    assert "12 rows" in str(found)
    assert len(found.to_pandas()) == 4
    assert json.loads(found.to_json())["columns"][0]["name"] == "species"
