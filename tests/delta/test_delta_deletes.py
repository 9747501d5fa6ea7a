"""Deleted rows never come back: deletion vectors, with and without a filter, LIMIT and ORDER BY."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.delta import tables
from support.scan_tables import hold, hold_limits, is_pruned, physical, plain
from support.sessions import OURS_FIRST


def with_vectors(spark: SparkSession, path: Path, delete: str) -> str:
    """Write a table, and delete rows from it without writing files again."""

    def write_to(made: Path) -> None:
        table = tables.write(spark, made, enableDeletionVectors="true")
        spark.sql(f"DELETE FROM {table} WHERE {delete}")

    return tables.once(path, ("with vectors", delete), write_to)


def has_vectors(path: Path) -> bool:
    """Tell whether a file of the table has a deletion vector."""
    return any(path.glob("deletion_vector*.bin"))


DELETES = {
    "some rows of each file": "id % 10 = 3",
    "some rows of one file": "id BETWEEN 510 AND 530",
    "nearly all rows": "id % 100 <> 7",
    "all rows of a file and some": "id < 260",
}
IN_THE_CORE = "all rows of a file and some"
QUERIES = {
    "SELECT * FROM {}": False,
    "SELECT id FROM {} WHERE id >= 500": False,
    "SELECT s FROM {} WHERE id BETWEEN 505 AND 535": False,
    "SELECT id, m FROM {} WHERE ts < TIMESTAMP'2024-01-01 00:20:00'": False,
    "SELECT id FROM {} WHERE m = 3 AND id > 100": False,
    "SELECT id FROM {} ORDER BY id DESC": True,
    "SELECT id, ts FROM {} WHERE m <> 2 ORDER BY ts": True,
}


@pytest.mark.core
def test_deleted_rows_stay_deleted(spark: SparkSession, tmp_path: Path) -> None:
    hold_deleted(spark, tmp_path, DELETES[IN_THE_CORE])


@OURS_FIRST
@pytest.mark.parametrize("kind", sorted(DELETES.keys() - {IN_THE_CORE}))
def test_deleted_rows_of_all_kinds_stay_deleted(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    hold_deleted(spark, tmp_path, DELETES[kind])


# Of each, the least and the greatest values of some files are deleted.
ORDERS = {
    "in no order": (
        "id * 37 % 1009",
        ["k > 1100", "k > 990", "k < 20 OR k BETWEEN 900 AND 950", "k >= 960"],
    ),
    "in order": ("id * 10 + id * 37 % 7", ["k > 9950", "k < 300 OR k = 9800", "k >= 9700"]),
}
# With the answer of each, from all rows. No two rows have the same ``k``.
FIRST_ROWS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "SELECT max(k) FROM {}": lambda rows: [(max(k for _, k, _ in rows),)],
    "SELECT max(k) FROM {} WHERE id >= 20": lambda rows: [(max(k for i, k, _ in rows if i >= 20),)],
    "SELECT min(k), min(k) + 1 FROM {} WHERE k > 10": lambda rows: [
        (min(k for _, k, _ in rows if k > 10), min(k for _, k, _ in rows if k > 10) + 1)
    ],
    "SELECT max_by(id, k) FROM {}": lambda rows: [(max(rows, key=itemgetter(1))[0],)],
    "SELECT max(k) FROM {} WHERE m = 3": lambda rows: [(max(k for _, k, m in rows if m == 3),)],
    "SELECT * FROM {0} WHERE k = (SELECT max(k) FROM {0})": lambda rows: [
        max(rows, key=itemgetter(1))
    ],
    "SELECT k FROM {} ORDER BY k DESC LIMIT 3": lambda rows: [
        (k,) for k in sorted((k for _, k, _ in rows), reverse=True)[:3]
    ],
    "SELECT k FROM {} ORDER BY k LIMIT 1": lambda rows: [(min(k for _, k, _ in rows),)],
}


@OURS_FIRST
@pytest.mark.parametrize("order", ORDERS)
def test_line_106_a_deleted_row_is_not_the_first_one(
    spark: SparkSession, tmp_path: Path, order: str
) -> None:
    key, deletes = ORDERS[order]
    rows = spark.range(0, 1000, 1, 10).selectExpr("id", f"{key} AS k", "id % 7 AS m")
    path = tmp_path / "t"
    rows.write.format("delta").option("delta.enableDeletionVectors", "true").save(str(path))
    table = f"delta.`{path}`"
    pruned = 0
    for delete in deletes:
        spark.sql(f"DELETE FROM {table} WHERE {delete}")
        left = plain(spark, f"SELECT id, k, m FROM {table}")
        for query, expected in FIRST_ROWS.items():
            df = spark.sql(query.format(table))
            assert [tuple(row) for row in df.collect()] == expected(left), (delete, query)
            # Delta's own scan reads files with deletion vectors.
            pruned += is_pruned(df) or "SelectedDeltaIndex" in physical(df)
    assert has_vectors(path)
    assert pruned >= {"in no order": 4, "in order": 12}[order]


@OURS_FIRST
def test_an_offset_counts_rows_that_are_not_deleted(spark: SparkSession, tmp_path: Path) -> None:
    table = with_vectors(spark, tmp_path / "t", "id % 10 = 3 AND id < 700")
    skipped = 0
    for where in ("", "WHERE id >= 100"):
        allowed = set(plain(spark, f"SELECT id FROM {table} {where}"))
        for offset in range(0, len(allowed) + 170, 170):
            df = spark.sql(f"SELECT id FROM {table} {where} LIMIT 170 OFFSET {offset}")
            found = [tuple(row) for row in df.collect()]
            assert len(found) == len(set(found)) == max(0, min(170, len(allowed) - offset))
            assert set(found) <= allowed
            skipped += limit_pruning.report(df).only.rows.skipped or 0
    assert skipped > 1000


def hold_deleted(spark: SparkSession, tmp_path: Path, delete: str) -> None:
    """Hold queries over a table some of whose rows are deleted to plain Delta."""
    table = with_vectors(spark, tmp_path / "t", delete)
    assert has_vectors(tmp_path / "t")
    for query, ordered in QUERIES.items():
        hold_limits(spark, query.format(table), (1, 40, 900), ordered)


@OURS_FIRST
def test_files_without_deleted_rows_are_preferred(spark: SparkSession, tmp_path: Path) -> None:
    table = with_vectors(spark, tmp_path / "t", "id BETWEEN 0 AND 20 OR id BETWEEN 900 AND 930")
    df = hold(spark, f"SELECT id FROM {table} WHERE id >= 0", 100)
    assert is_pruned(df)
    assert limit_pruning.report(df).only.files.scanned == 1


@pytest.mark.core
@OURS_FIRST
def test_files_with_deleted_rows_count_less_these_rows(spark: SparkSession, tmp_path: Path) -> None:
    table = with_vectors(spark, tmp_path / "t", "id % 2 = 0")
    df = hold(spark, f"SELECT id FROM {table} WHERE id >= 0", 100)
    report = limit_pruning.report(df).only
    assert report.covered
    assert report.files.scanned == 1
    assert "SelectedDeltaIndex" in physical(df)
    assert not is_pruned(df)
    # Each file has 250 rows, of which 125 are left.
    df = hold(spark, f"SELECT id FROM {table} WHERE id >= 0", 200)
    assert limit_pruning.report(df).only.files.scanned == 2


@OURS_FIRST
def test_order_by_counts_files_with_deleted_rows(spark: SparkSession, tmp_path: Path) -> None:
    table = with_vectors(spark, tmp_path / "t", "id % 2 = 1")
    df = hold(spark, f"SELECT id FROM {table} ORDER BY id DESC", 10, ordered=True)
    assert limit_pruning.report(df).only.files.scanned == 1


@OURS_FIRST
def test_deletes_after_planning_are_not_seen(spark: SparkSession, tmp_path: Path) -> None:
    table = tables.write(spark, tmp_path / "t", enableDeletionVectors="true")
    df = spark.sql(f"SELECT id FROM {table} WHERE id >= 500 LIMIT 1500")
    df._jdf.queryExecution().executedPlan()
    spark.sql(f"DELETE FROM {table} WHERE id >= 1000")
    assert len(df.collect()) == 1500
    hold(spark, f"SELECT id FROM {table} WHERE id >= 500", 1500)


@OURS_FIRST
def test_purged_and_restored(spark: SparkSession, tmp_path: Path) -> None:
    table = with_vectors(spark, tmp_path / "t", "id % 3 = 0")
    query = f"SELECT id FROM {table} WHERE id >= 500"
    spark.sql(f"REORG TABLE {table} APPLY (PURGE)")
    hold(spark, query, 30)
    spark.sql(f"RESTORE TABLE {table} TO VERSION AS OF 1")
    hold(spark, query, 30)
    spark.sql(f"RESTORE TABLE {table} TO VERSION AS OF 0")
    assert is_pruned(hold(spark, query, 30))
    spark.sql(f"OPTIMIZE {table}")
    hold(spark, query, 30)
