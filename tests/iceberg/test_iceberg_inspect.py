"""``inspect`` over Iceberg tables: row groups by footers, whole files by manifests."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning import InspectionError
from support.iceberg import tables
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST


def write(spark: SparkSession, **properties: str) -> str:
    """2,000 rows in two files, sorted by ``id``."""
    rows = spark.range(0, 2000, 1, 2).selectExpr(*tables.COLUMNS)
    return tables.write_frame(rows, **properties)


def test_row_groups_of_files(spark: SparkSession) -> None:
    table = write(spark, **tables.SMALL_ROW_GROUPS)
    found = limit_pruning.inspect(spark, table, "id >= 650", limit=1040)
    assert (found.files.inspected, found.files.total) == (2, 2)
    counts = found.row_groups
    assert (counts.total, counts.matched, counts.fully_matched) == (20, 14, 13)
    assert (found.rows.total, found.rows.proved) == (2000, 1300)
    assert [each.state for each in found.row_groups.details] == ["not"] * 6 + ["partially"] + [
        "fully"
    ] * 13
    assert found.row_groups.details[0].why.endswith("id >= 650L) holds for no row")
    assert found.row_groups.details[6].why.endswith("id >= 650L) may hold for only some rows")
    assert found.row_groups.details[7].facts == ("id: 700 … 799, no nulls",)
    assert sum(each.rows_to_read for each in found.row_groups.details) == 1100
    assert found.report.covered
    columns = {each.name: each for each in found.columns}
    assert columns["id"].with_min_max == columns["id"].with_null_count == 20
    assert columns["id"].overlap == 0.0
    assert columns["m"].overlap == 1.0
    assert "p" not in columns


def test_whole_files_by_manifests(spark: SparkSession) -> None:
    table = write(spark, format__version="3", write_delete_mode="merge-on-read")
    spark.sql(f"DELETE FROM {table} WHERE id IN (1500, 1700)")
    found = limit_pruning.inspect(spark, table, "id >= 650", limit=5)
    assert [each.state for each in found.row_groups.details] == ["partially", "fully"]
    assert [each.rows_to_read for each in found.row_groups.details] == [0, 1000]
    assert found.rows.proved == 998
    assert str(found)
    assert found.to_pandas().shape[0] == 2


def test_partition_columns(spark: SparkSession) -> None:
    table = tables.new_name()
    spark.sql(f"CREATE TABLE {table} (id BIGINT, p INT) USING iceberg PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO {table} SELECT id, CAST(id % 3 AS INT) FROM range(30)")
    found = limit_pruning.inspect(spark, spark.table(table).where("p = 1 OR id < 0"), limit=5)
    assert [each.is_partition for each in found.columns] == [
        each.name == "p" for each in found.columns
    ]
    assert found.row_groups.fully_matched == 1


def test_a_report_has_a_map(spark: SparkSession) -> None:
    table = write(spark, **tables.SMALL_ROW_GROUPS)
    covered = limit_pruning.report(spark.sql(f"SELECT * FROM {table} WHERE id >= 650 LIMIT 100"))
    assert [each.state for each in covered.only.row_groups.details] == ["partially", "fully"]
    assert [each.scanned for each in covered.only.row_groups.details] == [False, True]
    assert "fully" in covered._repr_html_()
    inside = limit_pruning.report(spark.sql(f"SELECT * FROM {table} WHERE id >= 1250 LIMIT 100"))
    details = inside.only.row_groups.details
    assert [each.state for each in details] == ["not"] * 2 + ["partially"] + ["fully"] * 7
    assert [each.ordinal for each in details if each.scanned] == [3]
    top = limit_pruning.report(spark.sql(f"SELECT * FROM {table} ORDER BY id DESC LIMIT 5"))
    details = top.only.row_groups.details
    assert len(details) == 11
    assert [each.ordinal for each in details if each.scanned] == [9]
    assert details[0].why == "no row reaches the threshold 1900L"


def test_some_files_and_the_progress(spark: SparkSession) -> None:
    seen: list[tuple[int, int]] = []
    found = limit_pruning.inspect(
        spark, write(spark), max_files=1, progress=lambda done, of: seen.append((done, of))
    )
    assert seen == [(1, 1)]
    assert (found.files.inspected, found.files.total) == (1, 2)


def test_what_is_not_inspected_is_an_error(spark: SparkSession) -> None:
    table = write(spark)
    with pytest.raises(InspectionError, match="iceberg-scan"):
        limit_pruning.inspect(spark, f"{table}.files")
    with pytest.raises(InspectionError, match="not deterministic"):
        limit_pruning.inspect(spark, table, "rand() > 0.5")
    with pytest.raises(InspectionError, match="aggregation"):
        limit_pruning.inspect(spark, spark.table(table).groupBy("m").count())
