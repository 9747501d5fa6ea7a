"""Deleted rows: a file that has some is never counted on, and no deleted row comes back."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from support.iceberg import tables
from support.iceberg.tables import hold, hold_pruned, hold_unpruned

pytestmark = pytest.mark.parametrize("spark", ["ours first"], indirect=True)

MERGE_ON_READ = {"write_delete_mode": "merge-on-read", "write_update_mode": "merge-on-read"}


@pytest.mark.parametrize("version", ["2", "3"])
def test_files_with_deletes_are_not_counted_on(spark: SparkSession, version: str) -> None:
    table = tables.write(spark, format__version=version, **MERGE_ON_READ)
    # One row of each file but the last two.
    spark.sql(f"DELETE FROM {table} WHERE id % 250 = 7 AND id < 1500")
    deletes = spark.sql(f"SELECT file_format FROM {table}.delete_files").collect()
    assert {row.file_format for row in deletes} == {"PARQUET" if version == "2" else "PUFFIN"}
    report = hold_pruned(spark, f"SELECT * FROM {table}", 300)
    assert report.files.scanned == 2
    assert report.files.total == 8
    hold_pruned(spark, f"SELECT * FROM {table} WHERE id >= 1000", 500)
    query = f"SELECT * FROM {table} WHERE id >= 1000"
    hold_unpruned(spark, query, 501, "not-enough-rows-in-files")
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE id < 1500", 30, "not-enough-rows-in-files")


@pytest.mark.parametrize("version", ["2", "3"])
def test_updated_rows_are_read_once(spark: SparkSession, version: str) -> None:
    table = tables.write(spark, format__version=version, **MERGE_ON_READ)
    spark.sql(f"UPDATE {table} SET m = 70 WHERE id BETWEEN 600 AND 700")
    hold_pruned(spark, f"SELECT * FROM {table} WHERE id >= 500", 1000)
    hold(spark, f"SELECT id, m FROM {table} WHERE m = 70", 40)
    hold_unpruned(spark, f"SELECT * FROM {table}", 1999, "not-enough-rows-in-files")


def test_copy_on_write_leaves_no_deletes(spark: SparkSession) -> None:
    table = tables.write(spark)
    spark.sql(f"DELETE FROM {table} WHERE id % 250 = 7 AND id < 1500")
    assert spark.sql(f"SELECT * FROM {table}.delete_files").count() == 0
    hold(spark, f"SELECT * FROM {table} WHERE id < 1000", 700)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE id >= 1500", 200)


def test_equality_deletes_apply_to_all_earlier_files(spark: SparkSession) -> None:
    table = tables.write(spark, format__version="2")
    tables.delete_by_equality(spark, table, "i", 1100)
    # Iceberg gives the delete file only to data files whose bounds contain the value.
    assert hold_pruned(spark, f"SELECT * FROM {table}", 300).files.scanned == 2
    query = f"SELECT * FROM {table} WHERE id BETWEEN 1000 AND 1499"
    hold_pruned(spark, query, 250)
    hold_unpruned(spark, query, 251, "not-enough-rows-in-files")
    rows = spark.sql(f"SELECT id FROM {table} WHERE id >= 1000 LIMIT 240").collect()
    assert 1100 not in [row.id for row in rows]
    spark.sql(f"INSERT INTO {table} SELECT * FROM {table} WHERE id BETWEEN 1000 AND 1050")
    hold_pruned(spark, f"SELECT * FROM {table} WHERE id BETWEEN 1000 AND 1050", 20)


def test_equality_deletes_without_bounds_apply_to_every_file(spark: SparkSession) -> None:
    table = tables.write(spark, format__version="2", write_metadata_metrics_default="none")
    tables.delete_by_equality(spark, table, "i", 1100)
    hold_unpruned(spark, f"SELECT * FROM {table}", 30, "not-enough-rows-in-files")


def test_a_dangling_delete_does_no_harm(spark: SparkSession) -> None:
    table = tables.write(spark, format__version="2", **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {table} WHERE id % 250 = 7")
    hold_unpruned(spark, f"SELECT * FROM {table}", 30, "not-enough-rows-in-files")
    spark.sql(
        f"CALL ice.system.rewrite_data_files(table => '{table.removeprefix('ice.')}', "
        "options => map('rewrite-all', 'true', 'target-file-size-bytes', '10000', "
        "'min-input-files', '1'))"
    )
    query = f"SELECT * FROM {table} WHERE id >= 0"
    if spark.sql(f"SELECT * FROM {table}.data_files").count() > 1:
        hold_pruned(spark, query, 5)
    else:
        hold_unpruned(spark, query, 5, "nothing-to-skip")


def test_metadata_deletes_remove_files(spark: SparkSession) -> None:
    table = tables.write(spark)
    spark.sql(f"DELETE FROM {table} WHERE id < 500")
    report = hold_pruned(spark, f"SELECT * FROM {table}", 251)
    assert (report.files.scanned, report.files.total) == (2, 6)
