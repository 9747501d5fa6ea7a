"""Reads and writes of Iceberg that have no LIMIT over a snapshot: the same as without us."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from pyspark.sql import DataFrame, SparkSession

from support.iceberg import tables
from support.iceberg.session import java_table, staged_task_sets
from support.iceberg.tables import is_pruned, reason_of
from support.runs import ENABLED, conf
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST

A = TypeVar("A")


def same(spark: SparkSession, run: Callable[[], A]) -> A:
    """Return what `run` gives with the extension, which must be what it gives without."""
    with conf(spark, {ENABLED: "false"}):
        plain = run()
    ours = run()
    assert ours == plain
    return ours


def changed(spark: SparkSession, **properties: str) -> str:
    """Return a table with four snapshots: two appends, a delete of single rows, an update."""
    table = tables.write(spark, **properties)
    tables.in_files(tables.rows(spark, 2000, 2600), 3).writeTo(table).append()
    spark.sql(f"DELETE FROM {table} WHERE id % 50 = 3")
    spark.sql(f"UPDATE {table} SET m = 77 WHERE id BETWEEN 2100 AND 2200")
    return table


def counted(frame: DataFrame) -> list[str]:
    """Return rows as sorted text."""
    return sorted(map(repr, frame.drop("x", "_commit_snapshot_id").collect()))


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_rewritten_data_files(spark: SparkSession, mode: str) -> None:
    modes = {f"write_{kind}_mode": mode for kind in ("delete", "update", "merge")}

    def rewrite() -> tuple[list[str], list[str], list[int]]:
        table = changed(spark, format__version="2", **modes)
        limited = spark.sql(f"SELECT * FROM {table} WHERE id >= 2300 LIMIT 40").collect()
        assert len(limited) == 40
        done = spark.sql(
            f"CALL ice.system.rewrite_data_files(table => '{table.removeprefix('ice.')}', "
            "strategy => 'sort', sort_order => 'id', options => map('rewrite-all', 'true'))"
        )
        counts = [str(row.rewritten_data_files_count) for row in done.collect()]
        files = spark.sql(f"SELECT record_count FROM {table}.data_files").collect()
        assert staged_task_sets(spark, table) == set()
        return counts, counted(spark.table(table)), sorted(row.record_count for row in files)

    (count,), rows, _ = same(spark, rewrite)
    assert int(count) >= 1
    assert len(rows) == 2600 - 52


def test_streaming_reads(spark: SparkSession, tmp_path: Path) -> None:
    table = tables.write(spark)
    tables.in_files(tables.rows(spark, 2000, 2600), 3).writeTo(table).append()
    runs = 0

    def read() -> list[int]:
        nonlocal runs
        runs += 1
        found: list[int] = []
        few: list[int] = []

        def take(batch: DataFrame, _: int) -> None:
            found.extend(row.id for row in batch.select("id").collect())
            few.append(len(batch.where("id >= 100").limit(5).collect()))

        stream = (
            spark.readStream.format("iceberg")
            .option("streaming-max-files-per-micro-batch", "4")
            .load(table)
            .writeStream.option("checkpointLocation", str(tmp_path / str(runs)))
            .foreachBatch(take)
            .trigger(availableNow=True)
            .start()
        )
        stream.awaitTermination(120)
        assert stream.exception() is None
        assert set(few) == {5}
        return sorted(found)

    assert same(spark, read) == list(range(2600))


def test_changelogs(spark: SparkSession) -> None:
    table = changed(spark)
    spark.sql(
        f"CALL ice.system.create_changelog_view(table => '{table.removeprefix('ice.')}', "
        "changelog_view => 'changelog')"
    )
    every = same(spark, lambda: counted(spark.table("changelog")))
    df = spark.table("changelog").limit(50)
    assert len(df.collect()) == 50
    assert not is_pruned(df)
    assert len(every) > 2600
    of_table = f"SELECT * FROM {table}.changes"
    assert same(spark, lambda: counted(spark.sql(of_table)))
    df = spark.sql(f"{of_table} LIMIT 60")
    assert len(df.collect()) == 60
    assert reason_of(df) == "iceberg-scan"


def test_incremental_reads(spark: SparkSession) -> None:
    table = tables.write(spark)
    first = java_table(spark, table).currentSnapshot().snapshotId()
    tables.in_files(tables.rows(spark, 2000, 2600), 3).writeTo(table).append()

    def read() -> DataFrame:
        reader = spark.read.format("iceberg").option("start-snapshot-id", str(first))
        return reader.load(table)

    assert len(same(spark, lambda: counted(read()))) == 600
    df = read().where("id >= 100").limit(30)
    assert len([row for row in df.collect() if row.id >= 2000]) == 30
    assert not is_pruned(df)
    assert reason_of(df) == "iceberg-scan"
