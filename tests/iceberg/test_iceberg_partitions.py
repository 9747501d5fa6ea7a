"""Partitioned Iceberg tables: each transform, changed specs, and imported files."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.copied_limits import codes
from support.iceberg import tables
from support.iceberg.tables import hold, hold_pruned, hold_unpruned
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST

NOT_ENOUGH = "not-enough-rows-in-files"


def partitioned(spark: SparkSession, by: str, **properties: str) -> str:
    """Write the usual rows, partitioned by a transform. Return the table's name."""
    name = tables.new_name()
    tables.rows(spark).createOrReplaceTempView("rows_to_write")
    texts = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    spark.sql(
        f"CREATE TABLE {name} USING iceberg PARTITIONED BY ({by}) "
        f"{f'TBLPROPERTIES ({texts})' if texts else ''} AS SELECT * FROM rows_to_write"
    )
    return name


@pytest.mark.parametrize("metrics", ["truncate(16)", "none"])
def test_identity(spark: SparkSession, metrics: str) -> None:
    table = partitioned(spark, "m", **{"write.metadata.metrics.default": metrics})
    for condition in ("m = 3", "m >= 2", "m IN (1, 2)", "m <> 4", "m % 2 = 0", "m + 1 > 3"):
        hold_pruned(spark, f"SELECT * FROM {table} WHERE {condition}", 20) if condition != (
            "m = 3"
        ) else hold(spark, f"SELECT * FROM {table} WHERE {condition}", 20)
    # No conjunct of the predicate is left when Iceberg has selected whole partitions.
    hold_pruned(spark, f"SELECT id FROM {table} WHERE m > 3", 20)


def test_limits_over_other_partitions_are_not_copies(spark: SparkSession) -> None:
    table = partitioned(spark, "m")
    each = [f"(SELECT id FROM {table} WHERE m = {m} LIMIT 3)" for m in (1, 2)]
    df = spark.sql(" UNION ALL ".join(each))
    assert df.count() == 6
    assert "repeated-limit" not in codes(df)


@pytest.mark.parametrize(
    ("by", "condition"),
    [
        ("days(ts)", "ts >= TIMESTAMP'2024-01-02'"),
        ("days(ts)", "ts >= TIMESTAMP'2024-01-01 12:00:00'"),
        (
            "hours(ts)",
            "ts BETWEEN TIMESTAMP'2024-01-01 03:00:00' AND TIMESTAMP'2024-01-01 09:00:01'",
        ),
        ("months(d)", "d >= DATE'2025-03-14'"),
        ("years(d)", "d > DATE'2024-12-31'"),
        ("truncate(500, id)", "id >= 600"),
        ("truncate(2, s)", "s >= 's09'"),
        ("bucket(4, id)", "id >= 0"),
        ("bucket(4, s), truncate(1000, id)", "id >= 1000"),
        ("m, truncate(500, id)", "m = 3 AND id >= 600"),
    ],
)
def test_transforms(spark: SparkSession, by: str, condition: str) -> None:
    table = partitioned(spark, by)
    df = hold(spark, f"SELECT * FROM {table} WHERE {condition}", 20)
    files = spark.sql(f"SELECT DISTINCT _file FROM {table} WHERE {condition}").count()
    assert tables.is_pruned(df) == (files > 1)


def test_null_partitions(spark: SparkSession) -> None:
    name = tables.new_name()
    spark.sql(
        f"CREATE TABLE {name} USING iceberg PARTITIONED BY (k) AS "
        "SELECT id, IF(id % 3 = 0, NULL, id % 3) AS k FROM range(900)"
    )
    spark.sql(f"INSERT INTO {name} SELECT id, NULL FROM range(5000, 5100)")
    hold_pruned(spark, f"SELECT * FROM {name} WHERE k IS NULL", 20)
    hold_pruned(spark, f"SELECT * FROM {name} WHERE k IS NOT NULL", 20)
    hold_pruned(spark, f"SELECT * FROM {name} WHERE k <=> NULL OR k = 1", 20)
    hold_pruned(spark, f"SELECT * FROM {name} WHERE k * 2 >= 2", 20)
    hold_unpruned(spark, f"SELECT * FROM {name} WHERE k * 2 > 4", 20, NOT_ENOUGH)


def test_a_changed_spec(spark: SparkSession) -> None:
    table = tables.write(spark)
    spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD m")
    spark.sql(f"INSERT INTO {table} SELECT * FROM {table} WHERE id < 700")
    for condition in ("m = 3", "m >= 2 AND id < 700", "id >= 900", "m IN (1, 2)", "m + 1 = 6"):
        hold(spark, f"SELECT * FROM {table} WHERE {condition}", 20)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE m + 1 IN (2, 3)", 20)
    spark.sql(f"ALTER TABLE {table} DROP PARTITION FIELD m")
    spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD truncate(500, id)")
    spark.sql(f"INSERT INTO {table} SELECT * FROM {table} WHERE id >= 700")
    for condition in ("m = 3", "m + 1 IN (2, 3)", "id >= 900", "id BETWEEN 300 AND 1600"):
        hold_pruned(spark, f"SELECT * FROM {table} WHERE {condition}", 20)


def test_a_partition_column_that_is_renamed(spark: SparkSession) -> None:
    table = partitioned(spark, "m")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN m TO i2")
    hold_pruned(spark, f"SELECT * FROM {table} WHERE i2 + 1 IN (2, 3)", 20)
    hold_pruned(spark, f"SELECT * FROM {table} WHERE i2 > 2", 20)


def test_a_partition_column_of_doubles_with_nan(spark: SparkSession) -> None:
    name = tables.new_name()
    spark.sql(
        f"CREATE TABLE {name} USING iceberg PARTITIONED BY (v) AS SELECT id, "
        "CAST(CASE id % 3 WHEN 0 THEN 'NaN' WHEN 1 THEN '1.5' END AS DOUBLE) AS v FROM range(300)"
    )
    for condition in ("v >= 1", "v * 2 > 4", "v = 1.5", "isnan(v)", "v IS NULL", "v < 9"):
        hold(spark, f"SELECT * FROM {name} WHERE {condition}", 20)


def test_imported_files_have_metrics_of_their_footers(spark: SparkSession, tmp_path: Path) -> None:
    name = tables.new_name()
    frame = spark.range(1000).selectExpr("id", "CAST(id AS DOUBLE) AS f", "CAST(id AS STRING) AS s")
    frame.repartitionByRange(4, "id").write.parquet(str(tmp_path / "plain"))
    spark.sql(f"CREATE TABLE {name} (id BIGINT, f DOUBLE, s STRING) USING iceberg")
    spark.sql(
        f"CALL ice.system.add_files(table => '{name.removeprefix('ice.')}', "
        f"source_table => '`parquet`.`{tmp_path / 'plain'}`')"
    )
    hold_pruned(spark, f"SELECT * FROM {name}", 300)
    hold_pruned(spark, f"SELECT * FROM {name} WHERE id >= 600", 20)
    # The footers do not count NaN, which is greater than all other values.
    hold_pruned(spark, f"SELECT * FROM {name} WHERE f >= 600", 20)
    hold_unpruned(spark, f"SELECT * FROM {name} WHERE f < 400", 20, NOT_ENOUGH)
