"""INT96 statistics are trusted if the footer says that they are in the order of time.

No writer that can be installed writes this order yet, so footers are edited.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.files import footer_edit
from support.runs import conf, hold_sql, on_off
from support.tables import write

SCHEMA = pa.schema([("id", pa.int64()), ("ts", pa.timestamp("us")), ("k", pa.int32())])
CONVERSION = "spark.sql.parquet.int96TimestampConversion"
EPOCH_DAY = 2_440_588
DAY = timedelta(days=1)
ORDER_OF_TIME = 3


def int96(instant: datetime) -> bytes:
    """Return the timestamp as Parquet stores it."""
    days, rest = divmod(instant - datetime(1970, 1, 1), DAY)
    nanos = rest // timedelta(microseconds=1) * 1000
    return nanos.to_bytes(8, "little") + (EPOCH_DAY + days).to_bytes(4, "little")


def file_of(
    path: Path, values: list[datetime | None], order: int = ORDER_OF_TIME, bytewise: bool = False
) -> Path:
    """Write a file of one row group, as a writer of this order would leave it."""
    rows = {"id": list(range(len(values))), "ts": values, "k": [1] * len(values)}
    plain = {"use_dictionary": False, "use_deprecated_int96_timestamps": True}
    write(path, [rows], SCHEMA, **plain)
    ends = [int96(value) for value in values if value is not None]
    ends.sort(key=None if bytewise else lambda end: (end[:7:-1], end[7::-1]))
    footer_edit.set_bounds(path, "ts", ends[0], ends[-1])
    footer_edit.set_null_count(path, "ts", values.count(None))
    footer_edit.set_column_order(path, order, leaf=1)
    return path


def table(spark: SparkSession, folder: Path, days: list[datetime], order: int = 3) -> None:
    """Write the view ``t``: for each day a file of 48 half hours, not sorted."""
    for number, day in enumerate(days):
        values: list[datetime | None] = [day + DAY / 48 * (row * 7 % 48) for row in range(48)]
        file_of(folder / f"{number}.parquet", values, order)
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")


DAYS = [datetime(2024, 1, 1) + DAY * day for day in (3, 0, 2, 1)]


@pytest.mark.parametrize("batches", ["true", "false"])
@pytest.mark.parametrize("job_files", ["1", "128"])
def test_line_80_the_order_of_time_is_trusted(
    spark: SparkSession, tmp_path: Path, batches: str, job_files: str
) -> None:
    table(spark, tmp_path, DAYS)
    settings = {
        "spark.sql.parquet.enableVectorizedReader": batches,
        "spark.limitPruning.planning.jobFiles": job_files,  # on executors, from so many files on
    }
    with conf(spark, settings):
        for predicate, files in (
            ("ts >= TIMESTAMP'2024-01-04'", 1),
            ("ts < TIMESTAMP'2024-01-03'", 2),
            ("CAST(ts AS DATE) <> DATE'2024-01-02'", 3),
            ("ts IS NOT NULL AND k = 1", 4),
        ):
            (limit,) = hold_sql(spark, f"SELECT * FROM t WHERE {predicate}", 48 * files)
            assert limit.covered, predicate
            assert limit.row_groups.fully_matched == files, predicate
        for key in ("ts", "ts DESC", "ts DESC NULLS FIRST", "CAST(ts AS DATE) DESC"):
            query = f"SELECT {key.split(' DESC')[0]} AS found FROM t ORDER BY {key} LIMIT 20"
            runs = on_off(spark, query)
            assert runs.on == runs.off
            assert runs.report.only.covered, key
            assert runs.report.only.row_groups.scanned == 1, key


@pytest.mark.parametrize("order", [1, 2, 4, 99])
@pytest.mark.parametrize("bytewise", [True, False])
def test_line_80_no_other_order_is_trusted(
    spark: SparkSession, tmp_path: Path, order: int, bytewise: bool
) -> None:
    values: list[datetime | None] = [DAYS[0], DAYS[1] + DAY / 3, DAYS[2] + DAY / 7, DAYS[3]]
    file_of(tmp_path / "a.parquet", values, order, bytewise)
    file_of(tmp_path / "b.parquet", values[:2], order, bytewise)
    spark.read.parquet(str(tmp_path)).createOrReplaceTempView("t")
    for predicate in ("ts >= TIMESTAMP'2024-01-01'", "ts < TIMESTAMP'2025-01-01'"):
        (limit,) = hold_sql(spark, f"SELECT * FROM t WHERE {predicate}", 2, 6)
        assert limit.row_groups.fully_matched == 0
    runs = on_off(spark, "SELECT ts FROM t ORDER BY ts DESC LIMIT 2")
    assert runs.on == runs.off
    assert not runs.report.only.covered


def test_line_80_nulls_beside_the_order(spark: SparkSession, tmp_path: Path) -> None:
    file_of(tmp_path / "a.parquet", [DAYS[0], None, DAYS[0] + DAY / 2, None])
    file_of(tmp_path / "b.parquet", [DAYS[1], DAYS[1] + DAY / 2])
    spark.read.parquet(str(tmp_path)).createOrReplaceTempView("t")
    for key in ("ts", "ts DESC", "ts NULLS LAST", "ts DESC NULLS FIRST"):
        for limit in (1, 2, 4):
            runs = on_off(spark, f"SELECT ts FROM t ORDER BY {key} LIMIT {limit}")
            assert runs.on == runs.off
    for predicate in ("ts > TIMESTAMP'2020-01-01'", "ts IS NULL", "NOT ts < TIMESTAMP'2024-01-04'"):
        hold_sql(spark, f"SELECT * FROM t WHERE {predicate}", 1, 6)


ANCIENT = [datetime(1, 1, 1), datetime(1582, 10, 4), datetime(1899, 12, 31), datetime(1900, 1, 2)]


@pytest.mark.parametrize("mode", ["LEGACY", "CORRECTED"])
def test_line_80_instants_before_1900(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    for number, day in enumerate(ANCIENT):
        values: list[datetime | None] = [day, day + DAY]
        file_of(tmp_path / f"{number}.parquet", values)
    frame = spark.read.option("int96RebaseMode", mode).parquet(str(tmp_path))
    frame.createOrReplaceTempView("t")
    for zone in ("UTC", "America/Los_Angeles"):
        with conf(spark, {"spark.sql.session.timeZone": zone}):
            for key in ("ts", "ts DESC"):
                query = f"SELECT CAST(ts AS STRING) AS s FROM t ORDER BY {key} LIMIT 3"
                runs = on_off(spark, query)
                assert runs.on == runs.off
            for day in ANCIENT:
                for operator in ("<=", ">", "<>"):
                    predicate = f"ts {operator} TIMESTAMP'{day}'"
                    # Python has no text for some of these instants in some time zones.
                    query = f"SELECT id, CAST(ts AS STRING) AS s FROM t WHERE {predicate}"
                    hold_sql(spark, query, 1, 8)


def test_line_80_timestamps_that_the_reader_shifts(spark: SparkSession, tmp_path: Path) -> None:
    table(spark, tmp_path, DAYS)
    with conf(spark, {CONVERSION: "true", "spark.sql.session.timeZone": "Asia/Tokyo"}):
        query = "SELECT * FROM t WHERE ts >= TIMESTAMP'2024-01-04'"
        (limit,) = hold_sql(spark, query, 20)
        assert not limit.covered


def test_line_80_another_type_in_the_table(spark: SparkSession, tmp_path: Path) -> None:
    file_of(tmp_path / "t.parquet", [DAYS[0], DAYS[1]])
    for kind in ("TIMESTAMP_NTZ", "BIGINT"):
        frame = spark.read.schema(f"id BIGINT, ts {kind}, k INT").parquet(str(tmp_path))
        frame.createOrReplaceTempView("t")
        (limit,) = hold_sql(spark, "SELECT id FROM t WHERE k = 1", 2)
        assert limit.covered
        where = "ts > TIMESTAMP_NTZ'2000-01-01'" if kind != "BIGINT" else "ts > 0"
        frame = spark.sql(f"SELECT id FROM t WHERE {where} LIMIT 1")
        assert not limit_pruning.report(frame).only.covered
