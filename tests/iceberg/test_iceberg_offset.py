"""Rows of Iceberg tables that an OFFSET skips are counted, and not read."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.iceberg import tables
from support.iceberg.tables import ROWS, SMALL_ROW_GROUPS, is_pruned
from support.scan_tables import physical
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST


def ids(df: DataFrame) -> list[int]:
    """Return the first column of the rows, in their order."""
    return [row[0] for row in df.collect()]


def report_of(df: DataFrame) -> LimitReport:
    """Return the report of the only LIMIT."""
    return limit_pruning.report(df).only


@pytest.mark.core
def test_files_with_skipped_rows_are_not_read(spark: SparkSession) -> None:
    table = tables.write(spark)
    for offset, skipped, files in ((100, 0, 2), (250, 250, 1), (400, 250, 2), (1750, 1750, 1)):
        df = spark.sql(f"SELECT id FROM {table} LIMIT 200 OFFSET {offset}")
        found = ids(df)
        assert len(set(found)) == 200
        report = report_of(df)
        assert report.covered
        assert (report.rows.skipped, report.files.scanned) == (skipped, files)
        assert (f"skippedByOffset={skipped}" in physical(df)) == (skipped > 0)
    df = spark.sql(f"SELECT id FROM {table} WHERE id >= 500 LIMIT 10 OFFSET 1400")
    assert len(ids(df)) == 10
    assert (report_of(df).rows.skipped, report_of(df).files.scanned) == (1250, 1)


def test_row_groups_with_skipped_rows_are_not_read(spark: SparkSession) -> None:
    table = tables.write_frame(tables.in_files(tables.rows(spark), 1), **SMALL_ROW_GROUPS)
    df = spark.sql(f"SELECT id FROM {table} WHERE id >= 150 LIMIT 10 OFFSET 420")
    found = ids(df)
    assert len(set(found)) == 10
    assert min(found) >= 150
    assert report_of(df).rows.skipped == 400


@pytest.mark.parametrize("size", [70, 250, 600])
def test_pages_of_a_table_have_each_row_once(spark: SparkSession, size: int) -> None:
    # A user may expect so, if the table does not change, although SQL does not promise it.
    table = tables.write(spark)
    found: list[int] = []
    for offset in range(0, ROWS + size, size):
        found += ids(spark.sql(f"SELECT id FROM {table} LIMIT {size} OFFSET {offset}"))
    assert sorted(found) == list(range(ROWS))


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_deleted_rows_are_not_skipped(spark: SparkSession, mode: str) -> None:
    table = tables.write(spark, format__version="2", write_delete_mode=mode)
    spark.sql(f"DELETE FROM {table} WHERE id % 5 = 0 AND id < 1000 OR id BETWEEN 1250 AND 1499")
    left = sorted(ids(spark.sql(f"SELECT id FROM {table}")))
    for offset in (1, 700, 1200, len(left) - 10, len(left) - 5, len(left), len(left) + 300):
        found = ids(spark.sql(f"SELECT id FROM {table} LIMIT 10 OFFSET {offset}"))
        assert len(set(found)) == len(found) == max(0, min(10, len(left) - offset))
        assert set(found) <= set(left)


@pytest.mark.parametrize(
    "query",
    [
        "(SELECT id FROM {t} LIMIT 10 OFFSET 500) UNION ALL (SELECT m FROM {t} LIMIT 10 OFFSET 9)",
        "SELECT id FROM (SELECT id FROM {t} LIMIT 1000 OFFSET 500) LIMIT 10 OFFSET 300",
        "SELECT id FROM {t} WHERE id IN (SELECT id FROM {t} LIMIT 10 OFFSET 500)",
        "SELECT a.id FROM (SELECT * FROM {t} LIMIT 10 OFFSET 500) a JOIN {t} b USING (id)",
        "SELECT id FROM {t} WHERE id >= (SELECT min(id) FROM {t}) LIMIT 10 OFFSET 500",
    ],
)
def test_other_queries_count_all_rows(spark: SparkSession, query: str) -> None:
    df = spark.sql(query.format(t=tables.write(spark)))
    assert len(df.collect()) == (20 if "UNION" in query else 10)
    assert "skippedByOffset" not in physical(df)


def test_operators_above_an_offset(spark: SparkSession) -> None:
    table = tables.write(spark)
    inner = f"SELECT * FROM {table} WHERE id >= 250 LIMIT 300 OFFSET 600"
    for query, rows in (
        (f"SELECT count(*), min(id) >= 250 FROM ({inner})", 1),
        (f"SELECT DISTINCT id FROM ({inner})", 300),
        (f"SELECT id FROM ({inner}) ORDER BY id DESC", 300),
        (f"SELECT id FROM ({inner}) WHERE id % 1 = 0", 300),
    ):
        df = spark.sql(query)
        found = df.collect()
        assert len(found) == rows
        assert is_pruned(df)
        assert "skippedByOffset=500" in physical(df)
        if "count" in query:
            assert tuple(found[0]) == (300, True)


def test_row_lineage_has_no_metrics(spark: SparkSession) -> None:
    """The metadata of a table do not say which values `_row_id` has."""
    table = tables.write(spark, format__version="3")
    spark.sql(f"DELETE FROM {table} WHERE id % 3 = 0")
    every = sorted(ids(spark.sql(f"SELECT _row_id FROM {table}")))
    first = spark.sql(f"SELECT _row_id FROM {table} ORDER BY _row_id LIMIT 5")
    last = spark.sql(f"SELECT _row_id FROM {table} ORDER BY _row_id DESC LIMIT 5")
    assert ids(first) == every[:5]
    assert ids(last) == every[:-6:-1]
    for where in ("_row_id >= 1990", "_row_id < 9", "_row_id IS NULL", "_row_id IS NOT NULL"):
        query = f"SELECT id, _row_id FROM {table} WHERE {where}"
        tables.hold(spark, query, 10)
