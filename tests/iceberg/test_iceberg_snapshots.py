"""Snapshots: the rows are those of the snapshot that a query reads, whatever happens later."""

from __future__ import annotations

from pyspark.sql import SparkSession

from support.iceberg import tables
from support.iceberg.session import java_table
from support.iceberg.tables import hold, hold_pruned, is_pruned
from support.scan_tables import physical
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST


def snapshot(spark: SparkSession, table: str) -> int:
    """The id of the current snapshot."""
    return int(java_table(spark, table).currentSnapshot().snapshotId())


def test_time_travel(spark: SparkSession) -> None:
    table = tables.write(spark)
    first = snapshot(spark, table)
    spark.sql(f"ALTER TABLE {table} CREATE TAG the_first")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN id TO number")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN id BIGINT")
    spark.sql(f"DELETE FROM {table} WHERE number >= 500")
    for version in (f"VERSION AS OF {first}", "VERSION AS OF 'the_first'"):
        hold_pruned(spark, f"SELECT id, s FROM {table} {version} WHERE id >= 900", 300)
        hold_pruned(spark, f"SELECT * FROM {table} {version}", 300)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE number >= 100", 50)
    assert spark.sql(f"SELECT * FROM {table} WHERE id >= 100 LIMIT 5").collect() == []


def test_branches(spark: SparkSession) -> None:
    table = tables.write(spark)
    spark.sql(f"ALTER TABLE {table} CREATE BRANCH other")
    spark.sql(f"DELETE FROM {table}.branch_other WHERE id >= 500")
    spark.sql(f"INSERT INTO {table}.branch_other SELECT * FROM {table} WHERE id >= 1900")
    for branch in (f"{table}.branch_other", f"{table} VERSION AS OF 'other'"):
        hold_pruned(spark, f"SELECT id FROM {branch} WHERE id >= 100", 200)
        hold(spark, f"SELECT * FROM {branch} WHERE id >= 1800", 200)
        hold(spark, f"SELECT i FROM {branch} WHERE i < 300", 200)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE id >= 500", 200)


def test_a_schema_that_is_newer_than_the_snapshot(spark: SparkSession) -> None:
    table = tables.write(spark)
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN i TO i1")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN i INT")
    hold_pruned(spark, f"SELECT * FROM {table} WHERE i1 >= 900", 300)
    df = hold(spark, f"SELECT * FROM {table} WHERE i IS NULL", 300)
    assert not is_pruned(df)


def test_commits_between_planning_and_running(spark: SparkSession) -> None:
    for change in (
        "INSERT INTO {t} SELECT * FROM {t} WHERE id >= 1000",
        "DELETE FROM {t} WHERE id % 2 = 0",
        "DELETE FROM {t} WHERE id >= 0",
        "ALTER TABLE {t} RENAME COLUMN s TO other",
        "ALTER TABLE {t} DROP COLUMN m",
    ):
        table = tables.write(spark)
        wanted = {tuple(row) for row in spark.sql(f"SELECT id, s, m FROM {table}").collect()}
        df = spark.sql(f"SELECT id, s, m FROM {table} WHERE id >= 900 LIMIT 300")
        assert is_pruned(df)
        spark.sql(change.format(t=table))
        found = {tuple(row) for row in df.collect()}
        assert len(found) == 300
        assert found <= wanted
        assert all(row[0] >= 900 for row in found)


def test_rolled_back_and_expired(spark: SparkSession) -> None:
    table = tables.write(spark)
    first = snapshot(spark, table)
    spark.sql(f"DELETE FROM {table} WHERE id >= 1000")
    name = table.removeprefix("ice.")
    spark.sql(f"CALL ice.system.rollback_to_snapshot('{name}', {first})")
    hold_pruned(spark, f"SELECT * FROM {table} WHERE id >= 900", 900)
    spark.sql(f"DELETE FROM {table} WHERE id < 500")
    spark.sql(f"CALL ice.system.expire_snapshots(table => '{name}', retain_last => 1)")
    hold_pruned(spark, f"SELECT * FROM {table} WHERE id >= 900", 900)


def test_rewritten_files(spark: SparkSession) -> None:
    table = tables.write(spark)
    name = table.removeprefix("ice.")
    spark.sql(
        f"CALL ice.system.rewrite_data_files(table => '{name}', strategy => 'sort', "
        "sort_order => 'id DESC', options => map('rewrite-all', 'true'))"
    )
    hold(spark, f"SELECT * FROM {table} WHERE id >= 900", 30)
    spark.sql(f"CALL ice.system.rewrite_manifests('{name}')")
    hold(spark, f"SELECT * FROM {table} WHERE id >= 900", 30)


def test_what_is_no_table_of_rows_is_read_by_iceberg(spark: SparkSession) -> None:
    table = tables.write(spark)
    first = snapshot(spark, table)
    spark.sql(f"INSERT INTO {table} SELECT * FROM {table} WHERE id >= 1000")
    for suffix in ("files", "snapshots", "manifests", "partitions", "entries", "history"):
        df = hold(spark, f"SELECT * FROM {table}.{suffix}", 1)
        assert not is_pruned(df), physical(df)
    appended = spark.read.format("iceberg").option("start-snapshot-id", str(first)).load(table)
    assert appended.limit(2000).count() == 1000
    changed = spark.sql(f"SELECT * FROM {table}.changes LIMIT 5000")
    assert len(changed.collect()) == 3000
    assert not is_pruned(changed)


def test_streaming(spark: SparkSession, tmp_path: object) -> None:
    table = tables.write(spark)
    counts: list[int] = []
    stream = (
        spark.readStream.format("iceberg")
        .load(table)
        .limit(7)
        .writeStream.option("checkpointLocation", f"{tmp_path}/checkpoint")
        .foreachBatch(lambda batch, _: counts.append(batch.count()))
        .trigger(availableNow=True)
        .start()
    )
    stream.awaitTermination(60)
    assert sum(counts) == 7


def test_files_of_several_manifests(spark: SparkSession) -> None:
    table = tables.write(spark)
    for low in range(3000, 8000, 1000):
        tables.in_files(tables.rows(spark, low, low + 1000), 2).writeTo(table).append()
    assert spark.sql(f"SELECT * FROM {table}.manifests").count() == 6
    report = hold_pruned(spark, f"SELECT * FROM {table}", 4000)
    assert report.files.total == 18
    hold_pruned(spark, f"SELECT * FROM {table} WHERE id >= 5000", 2400)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE id >= 1500 AND i < 4000", 900)
