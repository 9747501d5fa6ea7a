"""Statistics of a version of a log are read once, and never used for another version."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.delta import tables
from support.delta.planning import asks_the_log, forget
from support.runs import conf
from support.scan_tables import hold, is_pruned

pytestmark = pytest.mark.parametrize("spark", ["Delta first"], indirect=True)


@pytest.fixture
def path(spark: SparkSession, tmp_path: Path) -> Path:
    """A table of eight sorted files with deletion vectors."""
    tables.write(spark, tmp_path / "t", enableDeletionVectors="true")
    return tmp_path / "t"


@pytest.fixture
def newest(path: Path) -> Iterator[str]:
    """Queries by a column of which footers have no statistics, each with a literal of its own."""
    return (
        f"SELECT id, s FROM delta.`{path}` WHERE id > {-number} ORDER BY ts DESC LIMIT 5"
        for number in count()
    )


def test_queries_of_a_version_read_its_statistics_once(
    spark: SparkSession, path: Path, newest: Iterator[str]
) -> None:
    assert [asks_the_log(spark, next(newest)) for _ in range(4)] == [True, False, False, False]
    other = f"SELECT id FROM delta.`{path}` WHERE m > 3 ORDER BY ts DESC LIMIT 5"
    assert asks_the_log(spark, other), "of other columns"
    forget(spark, f"delta.`{path}`")
    assert asks_the_log(spark, next(newest)), "after it was forgotten"


def test_each_version_has_its_own_statistics(
    spark: SparkSession, path: Path, newest: Iterator[str]
) -> None:
    table = f"delta.`{path}`"
    changes = [
        f"INSERT INTO {table} SELECT id + 5000, m, s, ts, p FROM {table} WHERE id < 10",
        f"DELETE FROM {table} WHERE id > 5003 OR id BETWEEN 1700 AND 1990",
        f"UPDATE {table} SET id = -id WHERE id > 1995",
        f"DELETE FROM {table} WHERE id > 1500",
        f"RESTORE {table} TO VERSION AS OF 1",
        f"OPTIMIZE {table}",
    ]
    assert asks_the_log(spark, next(newest))
    for number, change in enumerate(changes):
        spark.sql(change)
        assert asks_the_log(spark, next(newest)), change
        for version in ("", f" VERSION AS OF {number % 2}"):
            query = f"SELECT id, s FROM {table}{version} WHERE id < 100000"
            for order in ("ts DESC, id", "ts, id"):
                df = hold(spark, f"{query} ORDER BY {order}", 7, ordered=True)
                assert is_pruned(df) or version != " VERSION AS OF 0", change
            hold(spark, f"{query} AND id >= 1650", 9)


def test_a_table_that_replaces_another_has_its_own_statistics(
    spark: SparkSession, path: Path, newest: Iterator[str]
) -> None:
    assert asks_the_log(spark, next(newest))
    shutil.rmtree(path)
    rows = spark.range(0, 800, 1, 4).selectExpr(
        "-id AS id", "1 AS m", "CONCAT('new', id) AS s", "current_timestamp() AS ts"
    )
    rows.write.format("delta").save(str(path))
    assert asks_the_log(spark, next(newest))
    hold(spark, f"SELECT id, s FROM delta.`{path}` ORDER BY ts DESC, id", 5, ordered=True)


def test_time_zones_have_their_own_statistics(spark: SparkSession, path: Path) -> None:
    query = f"SELECT id FROM delta.`{path}` WHERE id >= {{}} ORDER BY ts DESC LIMIT 5"
    assert asks_the_log(spark, query.format(1))
    assert not asks_the_log(spark, query.format(2))
    with conf(spark, {"spark.sql.session.timeZone": "Asia/Kolkata"}):
        assert asks_the_log(spark, query.format(3))
        hold(spark, f"SELECT id FROM delta.`{path}` ORDER BY ts DESC", 5, ordered=True)


def test_what_is_read_of_some_files_is_kept_with_that_of_others(
    spark: SparkSession, tmp_path: Path
) -> None:
    many = tables.write_log(tmp_path / "many", 1100, 2)
    # Delta chooses the files of queries that read something else, too.
    limited = f"SELECT * FROM (SELECT * FROM {many} WHERE id + 1 >= {{}} LIMIT 5), range(1)"
    assert asks_the_log(spark, limited.format(5)), "the first thousand"
    assert not asks_the_log(spark, limited.format(6))
    assert asks_the_log(spark, limited.format(2150)), "all"
    assert not asks_the_log(spark, limited.format(2151))
    assert not asks_the_log(spark, f"SELECT * FROM {many} ORDER BY id LIMIT 5")
    hold(spark, f"SELECT * FROM {many} WHERE id + 1 >= 2160", 7)


def test_columns_of_similar_names_have_their_own_statistics(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The field `a.b` and the column `a, b`, which only other writers and old mappings have."""
    path = tmp_path / "t"
    rows = spark.range(0, 500, 1, 5).selectExpr("named_struct('b', id) AS a", "-id AS ab", "id")
    mapped = rows.withColumnRenamed("ab", "a, b").repartitionByRange(5, "id")
    spark.sql(
        f"CREATE TABLE delta.`{path}` (a STRUCT<b: BIGINT>, `a, b` BIGINT, id BIGINT) USING delta "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    mapped.write.format("delta").mode("append").save(str(path))
    for column in ("a.b", "`a, b`", "a.b"):
        for direction in ("DESC", "ASC"):
            query = f"SELECT {column} FROM delta.`{path}` ORDER BY {column} {direction}"
            hold(spark, query, 3, ordered=True)


def test_times_that_a_legacy_parser_reads_prove_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The log may have microseconds, which this parser takes for milliseconds."""
    path = tmp_path / "t"
    spark.range(0, 500, 1, 5).selectExpr(
        "id", "timestamp_millis(1704067200900 + id) AS ts"
    ).write.format("delta").save(str(path))
    (log,) = (path / "_delta_log").glob("*0.json")
    in_micros = re.sub(r"(T\d\d:\d\d:\d\d\.\d{3})([Z+-])", r"\g<1>000\2", log.read_text())
    assert in_micros != log.read_text()
    log.write_text(in_micros)
    for other in (path / "_delta_log").glob("*.crc"):
        other.unlink()
    for checksum in (path / "_delta_log").glob(".*.crc"):
        checksum.unlink()
    copy = shutil.copytree(path, tmp_path / "copy")
    where = "ts >= TIMESTAMP'2024-01-01 00:00:01' AND id > -1"
    with conf(spark, {"spark.sql.legacy.timeParserPolicy": "LEGACY"}):
        hold(spark, f"SELECT id, ts FROM delta.`{copy}` WHERE {where}", 5)
