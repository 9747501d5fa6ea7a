"""DISTINCT … LIMIT and GROUP BY … LIMIT over Delta tables."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.costs import searches
from support.runs import conf, hold_sql
from support.scan_tables import physical
from support.sessions import OURS_FIRST


def write(spark: SparkSession, path: Path, *, vectors: bool = False, by: str = "day") -> str:
    """Write 12 files: four days of three files with 50 rows; returns the name of the table."""
    rows = spark.range(0, 600, 1, 1).selectExpr(
        "id",
        "CAST(id DIV 150 AS INT) AS day",
        "CAST(id DIV 50 AS INT) AS part",
        "concat('text ', id % 7) AS text",
    )
    writer = rows.repartition(12, "part").sortWithinPartitions("id").write.format("delta")
    writer = writer.option("delta.enableDeletionVectors", str(vectors).lower())
    writer = writer.option("maxRecordsPerFile", 50)
    (writer.partitionBy(by) if by else writer).save(str(path / "t"))
    return f"delta.`{path / 't'}`"


def pruned(spark: SparkSession, query: str, *limits: int) -> LimitReport:
    """Hold a query with each limit to all its rows, and return the report of the last one."""
    report = hold_sql(spark, query, *limits).only
    assert report.covered, str(report.reason)
    return report


def test_distinct_reads_one_file_of_each_value(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path)
    report = pruned(spark, f"SELECT DISTINCT day FROM {table}", 2, 3)
    assert (report.files.scanned, report.files.total) == (3, 12)
    report = pruned(spark, f"SELECT DISTINCT part FROM {table} WHERE id >= 100", 2, 4)
    assert report.files.scanned == 4
    assert report.row_filter_skipped
    report = pruned(spark, f"SELECT DISTINCT day, part FROM {table}", 5)
    assert report.files.scanned == 5


def test_all_values_are_fewer_than_the_limit(spark: SparkSession, tmp_path: Path) -> None:
    report = pruned(spark, f"SELECT DISTINCT day FROM {write(spark, tmp_path)}", 100)
    assert (report.files.scanned, report.files.total) == (4, 12)


def test_whole_groups_read_all_files_of_their_partitions(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = write(spark, tmp_path)
    functions = "count(*), sum(id), max(text), count(DISTINCT part)"
    report = pruned(spark, f"SELECT day, {functions} FROM {table} GROUP BY day", 1, 2)
    assert (report.files.scanned, report.files.total) == (6, 12)
    report = pruned(spark, f"SELECT day, count(*) FROM {table} WHERE id < 450 GROUP BY day", 2)
    assert report.files.scanned == 6
    query = f"SELECT part, count(*) FROM {table} GROUP BY part LIMIT 2"
    reason = limit_pruning.report(spark.sql(query)).only.reason
    assert reason
    assert reason.code == "groups-not-complete"


@OURS_FIRST
def test_values_whose_rows_are_all_deleted_are_no_groups(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = write(spark, tmp_path, vectors=True, by="")
    spark.sql(f"DELETE FROM {table} WHERE part = 3 AND id % 50 < 49")
    # One row of 50 is left.
    pruned(spark, f"SELECT DISTINCT part FROM {table}", 1, 11, 12, 20)
    spark.sql(f"DELETE FROM {table} WHERE part = 3")
    pruned(spark, f"SELECT DISTINCT part FROM {table}", 1, 11, 12, 20)
    spark.sql(f"DELETE FROM {table} WHERE id % 50 = 0")
    pruned(spark, f"SELECT DISTINCT part FROM {table} WHERE id > 10", 1, 10)


@OURS_FIRST
def test_a_row_group_whose_rows_are_all_deleted_has_no_group(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The file has another row group, so it stays in the table."""
    deltalake = pytest.importorskip("deltalake")
    properties = deltalake.WriterProperties(max_row_group_size=100)
    for low in (0, 200, 400):
        ids = range(low, low + 200)
        rows = pa.table({"id": ids, "hundred": [number // 100 for number in ids]})
        deltalake.write_deltalake(
            str(tmp_path / "t"), rows, mode="append", writer_properties=properties
        )
    table = f"delta.`{tmp_path / 't'}`"
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    spark.sql(f"DELETE FROM {table} WHERE id BETWEEN 100 AND 199 OR id BETWEEN 420 AND 497")
    report = hold_sql(spark, f"SELECT DISTINCT hundred FROM {table}", 1, 2, 3, 4, 5, 6).only
    assert report.row_groups.total == 6
    pruned(spark, f"SELECT DISTINCT hundred FROM {table} WHERE id < 499", 1, 2)


@OURS_FIRST
@pytest.mark.parametrize("by", ["", "day"])
def test_deleted_rows_are_in_no_group(spark: SparkSession, tmp_path: Path, by: str) -> None:
    table = write(spark, tmp_path, vectors=True, by=by)
    rng = random.Random(4)
    covered = 0
    for _ in range(3):
        low = rng.randrange(600)
        spark.sql(f"DELETE FROM {table} WHERE id BETWEEN {low} AND {low + 60}")
        spark.sql(f"DELETE FROM {table} WHERE id % 17 = {rng.randrange(17)}")
        for query in (
            "SELECT DISTINCT day FROM {}",
            "SELECT DISTINCT part, day FROM {} WHERE id >= 75",
            "SELECT day, count(*), min(id), max(text) FROM {} GROUP BY day",
        ):
            covered += hold_sql(spark, query.format(table), 1, 3).only.covered
    assert covered >= 3


@OURS_FIRST
def test_many_values_are_found_by_rows(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(0, 20_000, 1, 4).selectExpr(
        "id", "concat('user ', hash(id) % 9000) AS user", "concat('text ', hash(id, 2)) AS text"
    )
    path = tmp_path / "t"
    rows.write.format("delta").option("delta.enableDeletionVectors", "true").save(str(path))
    table = f"delta.`{path}`"
    spark.sql(f"DELETE FROM {table} WHERE hash(id, 3) % 4 = 0")
    with conf(spark, {"spark.limitPruning.rows.minBytes": "0"}):
        query = f"SELECT DISTINCT user, length(text) FROM {table}"
        hold_sql(spark, query, 1, 20, 300)
        df = spark.sql(f"{query} LIMIT 50")
        assert len(df.collect()) == 50
        assert "RowsVerified" in physical(df)


@OURS_FIRST
def test_an_older_version_has_its_own_groups(spark: SparkSession, tmp_path: Path) -> None:
    table = write(spark, tmp_path)
    spark.sql(f"DELETE FROM {table} WHERE day >= 2")
    assert pruned(spark, f"SELECT DISTINCT day FROM {table}", 4).files.scanned == 2
    older = f"SELECT DISTINCT day FROM {table} VERSION AS OF 0"
    assert pruned(spark, older, 4).files.scanned == 4


@OURS_FIRST
def test_a_sample_of_row_groups_has_enough_groups(spark: SparkSession, tmp_path: Path) -> None:
    """Not if some rows are deleted: Delta's reader does not read row groups apart then."""
    rows = spark.range(0, 72_000, 1, 12).selectExpr(
        "id", "concat('user ', hash(id) % 3000) AS user", "hash(id, 1) % 40 AS status"
    )
    path = tmp_path / "t"
    with conf(spark, {"parquet.block.size": "12000", "parquet.page.row.count.limit": "100"}):
        rows.write.format("delta").option("delta.enableDeletionVectors", "true").save(str(path))
    table = f"delta.`{path}`"

    def is_by_rows(where: str) -> bool:
        query = f"SELECT DISTINCT user FROM {table} WHERE {where}"
        hold_sql(spark, query, 9, 3000)
        before = searches(spark, "sample")
        df = spark.sql(f"{query} LIMIT 8")
        assert len(df.collect()) == 8
        assert len(searches(spark, "sample") - before) == ("RowsVerified" in physical(df))
        return "RowsVerified" in physical(df)

    with conf(spark, {"spark.limitPruning.rows.minBytes": "1"}):
        assert is_by_rows("status = 7")
        assert is_by_rows("user LIKE '%9' AND status <> 4")
        spark.sql(f"DELETE FROM {table} WHERE hash(id, 3) % 4 = 0")
        assert not is_by_rows("status <> 6")
