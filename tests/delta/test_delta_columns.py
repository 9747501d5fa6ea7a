"""Columns that have other names or types in files, or that files do not have."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.delta import tables
from support.runs import conf
from support.scan_tables import hold, is_pruned
from support.sessions import OURS_FIRST
from support.sparks import needs_spark

# The order of the extensions does not matter here. Other files of this folder test both orders.
pytestmark = OURS_FIRST


@pytest.mark.parametrize("mode", ["name", "id"])
def test_column_mapping(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    table = tables.write(spark, tmp_path / "t", **{"columnMapping.mode": mode})
    # After this, the name of each column was that of another one.
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN id TO old")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN m TO id")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN p.x TO z")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN p.y TO x")
    for query in (
        f"SELECT * FROM {table} WHERE old >= 1500",
        f"SELECT old, id FROM {table} WHERE old < 300",
        f"SELECT s FROM {table} WHERE p.z > 1200",
        f"SELECT s FROM {table} WHERE p.x > 1200",
        f"SELECT old FROM {table} WHERE id = 3 AND old > 400",
        f"SELECT * FROM {table}",
    ):
        df = hold(spark, query, 30)
        if mode == "name" and "id = 3" not in query:
            assert is_pruned(df), query
    hold(spark, f"SELECT old, id FROM {table} ORDER BY old DESC", 12, ordered=True)
    hold(spark, f"SELECT old, id FROM {table} ORDER BY id DESC, old", 12, ordered=True)
    hold(spark, f"SELECT p FROM {table} ORDER BY p.z", 12, ordered=True)


def test_without_a_predicate_tables_by_field_id_are_pruned(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = tables.write(spark, tmp_path / "t", **{"columnMapping.mode": "id"})
    assert is_pruned(hold(spark, f"SELECT id, s FROM {table}", 30))


def test_dropped_and_added_columns(spark: SparkSession, tmp_path: Path) -> None:
    table = tables.write(spark, tmp_path / "t", **{"columnMapping.mode": "name"})
    spark.sql(f"ALTER TABLE {table} DROP COLUMN m")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN m BIGINT")
    # The files have a column that was called m. Its values must not come back.
    hold(spark, f"SELECT id FROM {table} WHERE m = 3", 10)
    hold(spark, f"SELECT id, m FROM {table} WHERE m IS NULL", 10)
    spark.sql(f"INSERT INTO {table} (id, m) VALUES (5000, 1), (5001, NULL)")
    hold(spark, f"SELECT id, m FROM {table} WHERE m IS NULL", 2100)
    hold(spark, f"SELECT id, m FROM {table} WHERE m >= 0", 10)
    hold(spark, f"SELECT id, m FROM {table} ORDER BY m DESC NULLS LAST, id", 3, ordered=True)
    hold(spark, f"SELECT id, m FROM {table} ORDER BY m NULLS FIRST, id", 3, ordered=True)


@needs_spark("Delta Lake that widens INT to BIGINT")
def test_type_widening(spark: SparkSession, tmp_path: Path) -> None:
    table = tables.write(spark, tmp_path / "t", enableTypeWidening="true")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN m TYPE BIGINT")
    spark.sql(f"INSERT INTO {table} SELECT id + 5000, id + 3000000000, 'w', ts, p FROM {table}")
    for query in (
        f"SELECT id, m FROM {table} WHERE m >= 0",
        f"SELECT id, m FROM {table} WHERE m > 2999999999",
        f"SELECT id, m FROM {table} WHERE m < 7 AND id > 100",
    ):
        hold(spark, query, 2500)
        hold(spark, query, 20)
    hold(spark, f"SELECT id, m FROM {table} ORDER BY m DESC", 9, ordered=True)
    hold(spark, f"SELECT m FROM {table} ORDER BY m", 9, ordered=True)


def test_widened_small_integers(spark: SparkSession, tmp_path: Path) -> None:
    table = f"delta.`{tmp_path / 't'}`"
    spark.sql(
        f"CREATE TABLE {table} (m SMALLINT, id BIGINT) USING delta "
        "TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"
    )
    spark.sql(f"INSERT INTO {table} SELECT CAST(id % 300 AS SMALLINT), id FROM range(2000)")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN m TYPE INT")
    spark.sql(f"INSERT INTO {table} SELECT CAST(id + 100000 AS INT), id + 2000 FROM range(500)")
    for where in ("m >= 0", "m > 99999", "m < 7 AND id > 100", "m = 65836 OR m = 300"):
        hold(spark, f"SELECT id, m FROM {table} WHERE {where}", 2500)
        hold(spark, f"SELECT id, m FROM {table} WHERE {where}", 20)
    hold(spark, f"SELECT id, m FROM {table} ORDER BY m DESC", 9, ordered=True)
    hold(spark, f"SELECT m FROM {table} ORDER BY m", 9, ordered=True)


@needs_spark("identity columns")
def test_generated_and_identity_columns(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("DROP TABLE IF EXISTS generated")
    spark.sql(f"""
        CREATE TABLE generated (
          n BIGINT GENERATED ALWAYS AS IDENTITY, ts TIMESTAMP, v INT,
          day DATE GENERATED ALWAYS AS (CAST(ts AS DATE))
        ) USING delta PARTITIONED BY (day) LOCATION '{tmp_path / "t"}'""")
    spark.sql(
        "INSERT INTO generated (ts, v) SELECT TIMESTAMP'2024-01-01' + MAKE_DT_INTERVAL(0, id), "
        "CAST(id AS INT) FROM range(200)"
    )
    for where in (
        "ts >= TIMESTAMP'2024-01-05 10:00:00'",
        "v >= 100",
        "n > 0",
        "day > DATE'2024-01-04'",
    ):
        hold(spark, f"SELECT ts, v, day FROM generated WHERE {where}", 15)
        hold(spark, f"SELECT v FROM generated WHERE {where} ORDER BY v DESC", 5, ordered=True)
    spark.sql("DROP TABLE generated")


def test_row_tracking_and_file_metadata(spark: SparkSession, tmp_path: Path) -> None:
    table = tables.write(spark, tmp_path / "t", enableRowTracking="true")
    df = hold(spark, f"SELECT id, _metadata.row_id AS r FROM {table} WHERE id >= 1200", 30)
    assert is_pruned(df)
    spark.sql(f"UPDATE {table} SET m = 9 WHERE id % 100 = 0")
    columns = "_metadata.row_id, _metadata.row_commit_version, _metadata.file_name"
    hold(spark, f"SELECT id, {columns} FROM {table} WHERE id >= 1200", 30)
    hold(spark, f"SELECT id, {columns} FROM {table} ORDER BY id DESC", 7, ordered=True)


def test_shallow_clones(spark: SparkSession, tmp_path: Path) -> None:
    table = tables.write(spark, tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{tmp_path / 'clone'}` SHALLOW CLONE {table}")
    clone = f"delta.`{tmp_path / 'clone'}`"
    assert is_pruned(hold(spark, f"SELECT id FROM {clone} WHERE id >= 1200", 30))
    spark.sql(f"DELETE FROM {clone} WHERE id >= 1900")
    hold(spark, f"SELECT id FROM {clone} ORDER BY id DESC", 30, ordered=True)


def test_liquid_clustering(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(
        f"CREATE TABLE delta.`{tmp_path / 't'}` (a BIGINT, b BIGINT) USING delta CLUSTER BY (a, b)"
    )
    table = f"delta.`{tmp_path / 't'}`"
    spark.sql(f"INSERT INTO {table} SELECT id, 2000 - id FROM range(2000)")
    spark.sql(f"OPTIMIZE {table}")
    assert is_pruned(hold(spark, f"SELECT a FROM {table} WHERE a >= 0", 30))
    hold(spark, f"SELECT a FROM {table} WHERE a > 1500 AND b > 300", 30)
    hold(spark, f"SELECT a FROM {table} ORDER BY b", 8, ordered=True)


def test_changes_of_a_table_are_left_to_delta(spark: SparkSession, tmp_path: Path) -> None:
    table = tables.write(spark, tmp_path / "t", enableChangeDataFeed="true")
    spark.sql(f"DELETE FROM {table} WHERE id < 50")
    spark.sql(f"UPDATE {table} SET m = 100 WHERE id BETWEEN 60 AND 70")
    changes = f"SELECT id, m, _change_type FROM table_changes_by_path('{tmp_path / 't'}', 1, 2)"
    for where in ("", " WHERE id < 1000", " WHERE m = 100"):
        df = hold(spark, changes + where, 20)
        assert not is_pruned(df)
        hold(spark, changes + where, 500)


@pytest.mark.parametrize(
    "properties", [{"dataSkippingNumIndexedCols": "0"}, {"dataSkippingNumIndexedCols": "1"}]
)
def test_tables_without_statistics(
    spark: SparkSession, tmp_path: Path, properties: dict[str, str]
) -> None:
    table = tables.write(spark, tmp_path / "t", **properties)
    assert is_pruned(hold(spark, f"SELECT * FROM {table} WHERE id >= 0", 30))
    hold(spark, f"SELECT * FROM {table} WHERE ts >= TIMESTAMP'2024-01-01 00:10:00'", 30)
    hold(spark, f"SELECT id FROM {table} ORDER BY ts DESC", 30, ordered=True)


def test_files_of_delta_rs(spark: SparkSession, tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake")
    pa = pytest.importorskip("pyarrow")
    path = str(tmp_path / "t")
    for start in (0, 1000, 500):
        ids = list(range(start, start + 300))
        rows = pa.table({"id": ids, "s": [f"s{i}" for i in ids], "f": [float(i) for i in ids]})
        deltalake.write_deltalake(path, rows, mode="append")
    table = f"delta.`{path}`"
    assert is_pruned(hold(spark, f"SELECT * FROM {table} WHERE id >= 600", 30))
    for where in ("f >= 1000", "s > 's9'", "id < 200 OR id > 1200"):
        hold(spark, f"SELECT * FROM {table} WHERE {where}", 200)
    hold(spark, f"SELECT id FROM {table} ORDER BY id DESC", 40, ordered=True)
    hold(spark, f"SELECT f FROM {table} ORDER BY f", 40, ordered=True)
    deltalake.DeltaTable(path).delete("id < 100")
    hold(spark, f"SELECT id FROM {table} ORDER BY id", 40, ordered=True)


def test_inspect_names_columns_as_the_table_does(spark: SparkSession, tmp_path: Path) -> None:
    table = tables.write(spark, tmp_path / "t", **{"columnMapping.mode": "name"})
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN id TO old")
    found = limit_pruning.inspect(spark, table, "old >= 1500")
    assert found.files.total == found.files.inspected


def test_timestamps_that_the_log_cuts_to_milliseconds(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.sql("SELECT TIMESTAMP'2024-01-01 00:00:00.345678' AS ts FROM range(20)")
    rows.write.format("delta").save(str(tmp_path / "t"))
    table = f"delta.`{tmp_path / 't'}`"
    # In the log, min and max are 00:00:00.345.
    for where in ("<= TIMESTAMP'{}'", "> TIMESTAMP'{}'", "= TIMESTAMP'{}'", "< TIMESTAMP'{}'"):
        for time in (".345", ".345678", ".346"):
            moment = f"2024-01-01 00:00:00{time}"
            hold(spark, f"SELECT ts FROM {table} WHERE ts {where.format(moment)}", 5)
    assert is_pruned(hold(spark, f"SELECT ts FROM {table} WHERE ts < TIMESTAMP'2024-01-02'", 5))


def test_timestamps_whose_offset_has_seconds(spark: SparkSession, tmp_path: Path) -> None:
    with conf(spark, {"spark.sql.session.timeZone": "Europe/Berlin"}):
        rows = spark.sql("SELECT TIMESTAMP'1850-01-01 00:00:00' AS ts FROM range(20)")
        rows.write.format("delta").save(str(tmp_path / "t"))
        table = f"delta.`{tmp_path / 't'}`"
        # The offset is 00:53:28.
        for where in (">= TIMESTAMP'1850-01-01 00:00:10'", "<= TIMESTAMP'1850-01-01 00:00:10'"):
            hold(spark, f"SELECT ts FROM {table} WHERE ts {where}", 5)


def test_ancient_dates_that_the_reader_rebases(spark: SparkSession, tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake")
    # By the Julian calendar, this day is 1499-12-27. The file does not say which calendar it has.
    days = pa.table({"d": pa.array([date(1500, 1, 5)] * 20)})
    deltalake.write_deltalake(str(tmp_path / "t"), days)
    table = f"delta.`{tmp_path / 't'}`"
    for mode in ("LEGACY", "CORRECTED"):
        with conf(spark, {"spark.sql.parquet.datetimeRebaseModeInRead": mode}):
            for where in (">= DATE'1500-01-01'", "< DATE'1500-01-01'", "IS NOT NULL"):
                hold(spark, f"SELECT d FROM {table} WHERE d {where}", 5)


@needs_spark("variants")
@pytest.mark.parametrize(
    ("limited", "expected"),
    [("{a} = 1 LIMIT 5", 5), ("{a} IS NULL LIMIT 5", 0), ("true ORDER BY {a} DESC LIMIT 5", 5)],
)
def test_a_part_of_a_variant_is_no_column(
    spark: SparkSession, tmp_path: Path, limited: str, expected: int
) -> None:
    variants = spark.range(40).selectExpr("parse_json(concat('{\"a\": ', id % 4, '}')) AS v")
    variants.write.format("delta").save(str(tmp_path / "t"))
    where = limited.format(a="variant_get(v, '$.a', 'int')")
    rows = f"SELECT 1 FROM delta.`{tmp_path}/t` WHERE {where}"
    assert spark.sql(f"SELECT (SELECT count(*) FROM ({rows})) AS n").collect()[0].n == expected
