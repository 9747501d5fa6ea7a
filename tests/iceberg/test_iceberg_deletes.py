"""Deleted rows: they are never counted on, and no deleted row comes back."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from support.iceberg import tables
from support.iceberg.tables import hold, hold_pruned, hold_unpruned
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST

MERGE_ON_READ = {"write_delete_mode": "merge-on-read", "write_update_mode": "merge-on-read"}


def formats(spark: SparkSession, table: str) -> set[str]:
    """Return the formats of the delete files of a table."""
    deletes = spark.sql(f"SELECT file_format FROM {table}.delete_files").collect()
    return {row.file_format for row in deletes}


@pytest.mark.core
def test_files_with_position_deletes_are_not_counted_on(spark: SparkSession) -> None:
    table = tables.write(spark, format__version="2", **MERGE_ON_READ)
    # One row of each file but the last two.
    spark.sql(f"DELETE FROM {table} WHERE id % 250 = 7 AND id < 1500")
    assert formats(spark, table) == {"PARQUET"}
    report = hold_pruned(spark, f"SELECT * FROM {table}", 300)
    assert report.files.scanned == 2
    assert report.files.total == 8
    hold_pruned(spark, f"SELECT * FROM {table} WHERE id >= 1000", 500)
    query = f"SELECT * FROM {table} WHERE id >= 1000"
    hold_unpruned(spark, query, 501, "not-enough-rows-in-files")
    hold_unpruned(spark, f"SELECT * FROM {table} WHERE id < 1500", 30, "not-enough-rows-in-files")


@pytest.mark.core
def test_files_with_deletion_vectors_count_without_the_deleted_rows(spark: SparkSession) -> None:
    table = tables.write(spark, format__version="3", **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {table} WHERE id % 250 < 100 AND id < 1500")
    assert formats(spark, table) == {"PUFFIN"}
    # The files without deleted rows come first: 500 rows in 2 files, then 150 rows in each file.
    for limit, files in ((300, 2), (500, 2), (501, 3), (650, 3), (651, 4), (1250, 7)):
        assert hold_pruned(spark, f"SELECT * FROM {table}", limit).files.scanned == files
    hold_unpruned(spark, f"SELECT * FROM {table}", 1251, "nothing-to-skip")
    query = f"SELECT * FROM {table} WHERE id < 1500"
    assert hold_pruned(spark, query, 150).files.scanned == 1
    assert hold_pruned(spark, query, 151).files.scanned == 2
    hold_pruned(spark, f"{query} AND id >= 300", 600)
    hold_unpruned(spark, f"{query} AND id >= 400", 750, "not-enough-rows-in-files")
    # A second deletion replaces the deletion vectors.
    spark.sql(f"DELETE FROM {table} WHERE id % 250 < 200 AND id < 1500")
    assert hold_pruned(spark, query, 51).files.scanned == 2
    hold_unpruned(spark, query, 300, "nothing-to-skip")
    hold_unpruned(spark, query, 301, "not-enough-rows-in-files")


def test_a_deletion_vector_beside_an_equality_delete_does_not_count(spark: SparkSession) -> None:
    table = tables.write(spark, format__version="3", **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {table} WHERE id % 250 = 7")
    tables.delete_by_equality(spark, table, "i", 100)
    assert formats(spark, table) == {"PARQUET", "PUFFIN"}
    query = f"SELECT * FROM {table} WHERE id < 500"
    hold_pruned(spark, query, 249)
    hold_unpruned(spark, query, 250, "not-enough-rows-in-files")


def test_an_upgraded_table_has_both_kinds_of_deletes(spark: SparkSession) -> None:
    table = tables.write(spark, format__version="2", **MERGE_ON_READ)
    spark.sql(f"DELETE FROM {table} WHERE id IN (3, 303)")
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('format-version' = '3')")
    spark.sql(f"DELETE FROM {table} WHERE id IN (5, 605)")
    assert formats(spark, table) == {"PARQUET", "PUFFIN"}
    query = f"SELECT * FROM {table} WHERE id < 750"
    # 248 rows and 249 rows; the rows of the file with a position delete do not count.
    hold_pruned(spark, query, 497)
    hold_unpruned(spark, query, 498, "not-enough-rows-in-files")


@pytest.mark.parametrize("version", ["2", "3"])
def test_updated_rows_are_read_once(spark: SparkSession, version: str) -> None:
    table = tables.write(spark, format__version=version, **MERGE_ON_READ)
    spark.sql(f"UPDATE {table} SET m = 70 WHERE id BETWEEN 600 AND 700")
    hold_pruned(spark, f"SELECT * FROM {table} WHERE id >= 500", 1000)
    hold(spark, f"SELECT id, m FROM {table} WHERE m = 70", 40)
    reason = "not-enough-rows-in-files" if version == "2" else "nothing-to-skip"
    hold_unpruned(spark, f"SELECT * FROM {table}", 1999, reason)


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
