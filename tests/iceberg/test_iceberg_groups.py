"""DISTINCT … LIMIT and GROUP BY … LIMIT over Iceberg: plain Spark's groups, and what hides them."""

from __future__ import annotations

from collections import Counter

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.copied_limits import codes
from support.iceberg import tables
from support.iceberg.session import java_table
from support.iceberg.tables import hold, hold_unpruned, is_pruned
from support.runs import conf
from support.scan_tables import physical
from support.sessions import OURS_FIRST

pytestmark = OURS_FIRST

MERGE_ON_READ = "'write.delete.mode' = 'merge-on-read'"


def partitioned(spark: SparkSession, by: str = "m", properties: str = MERGE_ON_READ) -> str:
    """Write the usual rows in two appends, with a file for each partition in both."""
    name = tables.new_name()
    tables.rows(spark).createOrReplaceTempView("rows_to_write")
    half = "SELECT *, CAST(id / 500 AS INT) AS q FROM rows_to_write WHERE id"
    spark.sql(
        f"CREATE TABLE {name} USING iceberg PARTITIONED BY ({by}) TBLPROPERTIES ({properties}) "
        f"AS {half} < 1000"
    )
    spark.sql(f"INSERT INTO {name} {half} >= 1000")
    return name


@pytest.fixture(scope="module")
def by_m(spark: SparkSession) -> str:
    """A table of 14 files, two for each of the seven values of ``m``."""
    return partitioned(spark)


@pytest.fixture(scope="module")
def sorted_by_id(spark: SparkSession) -> str:
    """A table of 20 files that are sorted by ``id``."""
    return tables.write_frame(spark.range(0, tables.ROWS, 1, 20).selectExpr(*tables.COLUMNS))


def hold_files(spark: SparkSession, query: str, limit: int, files: int) -> LimitReport:
    """Hold ``query LIMIT limit`` to plain Spark, and require the number of files that it reads."""
    df = hold(spark, query, limit)
    assert is_pruned(df), limit_pruning.report(df)
    report = limit_pruning.report(df).only
    assert report.covered
    assert report.files.scanned == files, report
    return report


@pytest.mark.parametrize("limit", [1, 2, 3, 6])
def test_one_file_is_read_for_each_partition(spark: SparkSession, by_m: str, limit: int) -> None:
    if limit > 1:  # Spark takes one group for one row
        hold_files(spark, f"SELECT DISTINCT m FROM {by_m}", limit, limit)
    hold_files(
        spark,
        f"SELECT m, m + 1, 'x', concat(m, upper(CAST(m AS STRING))) FROM {by_m} GROUP BY m",
        limit,
        limit,
    )
    hold_files(spark, f"SELECT upper(CAST(m AS STRING)) FROM {by_m} GROUP BY m", limit, limit)


def test_all_groups_are_few(spark: SparkSession, by_m: str) -> None:
    report = hold_files(spark, f"SELECT DISTINCT m FROM {by_m}", 100, 7)
    assert report.files.total == 14
    assert ", groups=7 by " in physical(hold(spark, f"SELECT DISTINCT m FROM {by_m}", 100))
    hold_files(spark, f"SELECT DISTINCT m FROM {by_m} WHERE m > 3", 100, 3)


def test_whole_groups(spark: SparkSession, by_m: str) -> None:
    functions = "count(*), sum(id), min(s), count(DISTINCT n), max(p.x)"
    for limit in (1, 2, 6):
        hold_files(spark, f"SELECT m, {functions} FROM {by_m} GROUP BY m", limit, 2 * limit)
    # No row of the second file of a partition matches.
    hold_files(spark, f"SELECT m, {functions} FROM {by_m} WHERE id < 1000 GROUP BY m", 3, 3)
    hold_files(spark, f"SELECT m, b, count(*) FROM {by_m} GROUP BY m, b", 3, 6)
    hold_files(spark, f"SELECT m % 10 AS k, {functions} FROM {by_m} GROUP BY k", 2, 4)
    hold_unpruned(spark, f"SELECT m, {functions} FROM {by_m} GROUP BY m", 7, "nothing-to-skip")
    hold_unpruned(spark, f"SELECT b, count(*) FROM {by_m} GROUP BY b", 1, "groups-not-complete")


def test_a_group_needs_a_row_that_matches(spark: SparkSession, by_m: str) -> None:
    """In each file, some rows match, or none does: metadata do not know."""
    for query in (
        f"SELECT DISTINCT m FROM {by_m} WHERE length(s) > 4",
        f"SELECT m, count(*) FROM {by_m} WHERE length(s) = 5 GROUP BY m",
        f"SELECT m, count(*) FROM {by_m} WHERE id % 7 = 3 GROUP BY m",
    ):
        hold_unpruned(spark, query, 2, "not-enough-groups")


@pytest.mark.parametrize("key", ["id", "s", "ts", "tn", "d", "c", "i", "x", "f", "r"])
def test_files_of_other_values(spark: SparkSession, sorted_by_id: str, key: str) -> None:
    hold_files(spark, f"SELECT DISTINCT {key} FROM {sorted_by_id} WHERE id >= 250", 3, 3)
    hold(spark, f"SELECT {key}, m FROM {sorted_by_id} GROUP BY ALL", 5)


def test_more_groups_than_files(spark: SparkSession, sorted_by_id: str) -> None:
    hold_files(spark, f"SELECT DISTINCT id FROM {sorted_by_id}", 19, 19)
    hold_unpruned(spark, f"SELECT DISTINCT id FROM {sorted_by_id}", 20, "nothing-to-skip")
    hold_unpruned(spark, f"SELECT DISTINCT id FROM {sorted_by_id}", 21, "not-enough-groups")
    hold_unpruned(spark, f"SELECT DISTINCT m FROM {sorted_by_id}", 3, "not-enough-groups")


def test_row_groups(spark: SparkSession) -> None:
    rows = spark.range(0, tables.ROWS, 1, 2).selectExpr(*tables.COLUMNS)
    table = tables.write_frame(rows, **tables.SMALL_ROW_GROUPS)
    for limit in (2, 9, 19):
        report = hold(spark, f"SELECT DISTINCT id FROM {table}", limit)
        found = limit_pruning.report(report).only
        assert found.row_groups.scanned == limit, found
    # Of a file with a group, one row group.
    found = limit_pruning.report(hold(spark, f"SELECT DISTINCT id, m FROM {table}", 2)).only
    assert found.row_groups.scanned == 2
    assert found.files.scanned == 2
    hold(spark, f"SELECT DISTINCT n FROM {table}", 4)
    hold(spark, f"SELECT DISTINCT n FROM {table} WHERE id < 900", 4)


def test_nulls_are_a_group(spark: SparkSession) -> None:
    table = tables.new_name()
    spark.range(0, 60).selectExpr("id", "IF(id < 30, NULL, id % 3) AS k").createOrReplaceTempView(
        "with_nulls"
    )
    spark.sql(f"CREATE TABLE {table} USING iceberg PARTITIONED BY (k) AS SELECT * FROM with_nulls")
    hold_files(spark, f"SELECT DISTINCT k FROM {table}", 3, 3)
    hold_unpruned(spark, f"SELECT DISTINCT k FROM {table}", 4, "nothing-to-skip")
    hold_files(spark, f"SELECT k, count(*), count(k) FROM {table} GROUP BY k", 3, 3)
    hold_files(spark, f"SELECT DISTINCT k FROM {table} WHERE k IS NOT NULL", 2, 2)


def test_deleted_rows(spark: SparkSession) -> None:
    """All rows of a group, of some files of a group, and some rows of each."""
    table = partitioned(spark)
    spark.sql(f"DELETE FROM {table} WHERE m = 2 AND id <> 2 AND id < 1000")
    hold_files(spark, f"SELECT DISTINCT m FROM {table}", 100, 7)
    spark.sql(f"DELETE FROM {table} WHERE m = 3 AND id > 1001")
    hold(spark, f"SELECT DISTINCT m FROM {table}", 100)
    spark.sql(f"DELETE FROM {table} WHERE id % 3 = 0")
    for limit in (1, 3, 5, 6, 7, 8):
        hold(spark, f"SELECT DISTINCT m FROM {table}", limit)
        hold(spark, f"SELECT m, count(*), sum(id) FROM {table} GROUP BY m", limit)
    spark.sql(f"DELETE FROM {table} WHERE m = 3 AND id = 3")
    spark.sql(f"DELETE FROM {table} WHERE m = 3")
    for limit in (5, 6, 7):
        hold(spark, f"SELECT DISTINCT m FROM {table}", limit)
        hold(spark, f"SELECT m, count(*), sum(id) FROM {table} GROUP BY m", limit)


def test_deleted_by_equality(spark: SparkSession) -> None:
    """How many rows of a file are deleted is not known, so no group of it is certain."""
    table = tables.write(spark)
    tables.delete_by_equality(spark, table, "m", 3)
    hold_unpruned(spark, f"SELECT DISTINCT id FROM {table}", 3, "not-enough-groups")


def test_a_changed_partitioning(spark: SparkSession) -> None:
    """Files that are not divided by the key may have rows of each group."""
    table = tables.new_name()
    tables.rows(spark, 0, 1000).writeTo(table).using("iceberg").create()
    spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD m")
    tables.rows(spark, 1000).writeTo(table).append()
    assert java_table(spark, table).spec().isPartitioned()
    counts = f"SELECT m, count(*) FROM {table} GROUP BY m"
    hold_unpruned(spark, counts, 2, "groups-not-complete")
    hold_files(spark, counts.replace(" GROUP", " WHERE id >= 1000 GROUP"), 2, 2)
    hold_files(spark, f"SELECT DISTINCT m FROM {table}", 7, 7)
    hold(spark, f"SELECT DISTINCT m FROM {table}", 8)
    spark.sql(f"ALTER TABLE {table} DROP PARTITION FIELD m")
    hold_unpruned(spark, counts, 2, "groups-not-complete")


@pytest.mark.parametrize("by", ["bucket(4, m)", "truncate(3, m)", "days(ts)", "truncate(2, s)"])
def test_transforms_have_no_values(spark: SparkSession, by: str) -> None:
    table = partitioned(spark, by)
    for key in ("m", "s", "CAST(ts AS DATE)"):
        for limit in (2, 5):
            hold(spark, f"SELECT DISTINCT {key} FROM {table}", limit)
            counts = f"SELECT {key}, count(*) FROM {table} GROUP BY {key}"
            hold_unpruned(spark, counts, limit, "groups-not-complete")


def test_nan_and_zeros(spark: SparkSession) -> None:
    """Spark takes 0.0 and -0.0, and all NaN, for one group."""
    table = tables.new_name()
    values = ["0.0D", "-0.0D", "DOUBLE('NaN')", "1.5D", "DOUBLE('Infinity')"]
    spark.sql(f"CREATE TABLE {table} (id INT, f DOUBLE, g FLOAT) USING iceberg PARTITIONED BY (f)")
    for number, value in enumerate(values * 2):
        spark.sql(f"INSERT INTO {table} SELECT {number}, {value}, CAST({value} AS FLOAT)")
    for limit in (1, 2, 3, 4, 5):
        hold(spark, f"SELECT DISTINCT f + 0.0D FROM {table}", limit)
        hold(spark, f"SELECT DISTINCT g + 0.0D FROM {table}", limit)
        rows = spark.sql(f"SELECT f, count(*) FROM {table} GROUP BY f LIMIT {limit}").collect()
        wanted = Counter({"0.0": 4, "nan": 2, "1.5": 2, "inf": 2})
        for value, count in rows:
            assert wanted[str(value).replace("-0.0", "0.0")] == count
        assert len(rows) == min(limit, 4)


@pytest.mark.parametrize(
    ("reason", "query"),
    [
        ("group-filter", "SELECT m FROM {} GROUP BY m HAVING max(id) > 1995"),
        ("operator-between", "SELECT m, count(*) FROM {} GROUP BY CUBE(m)"),
        ("not-deterministic", "SELECT DISTINCT m, rand(1) FROM {}"),
        ("subquery", "SELECT DISTINCT m FROM {} WHERE id >= (SELECT 7 + count(*) FROM range(3))"),
        ("key-not-ordered", "SELECT DISTINCT p FROM {}"),
        ("groups-not-complete", "SELECT q, m % 2 + id, sum(id) FROM {} GROUP BY q, m % 2 + id"),
    ],
)
def test_what_is_not_pruned(spark: SparkSession, by_m: str, reason: str, query: str) -> None:
    df = spark.sql(f"{query.format(by_m)} LIMIT 2")
    assert len(df.collect()) == 2
    assert not is_pruned(df)
    assert codes(df) == {reason}


def test_sessions_are_merged(spark: SparkSession) -> None:
    """The sessions of a key are known only if all its rows are read."""
    table = partitioned(spark, "q")
    for key, is_whole in (("id", False), ("q", True)):
        session = f"{key}, session_window(ts, '10 minutes')"
        for shown in ("session_window", "session_window.start, session_window.end", "count(*)"):
            query = f"SELECT {key}, {shown} FROM {table} GROUP BY {session}"
            for limit in (2, 3):  # of one group, Spark itself takes one row
                df = hold(spark, query, limit)
                assert is_whole or not is_pruned(df)


def test_settings(spark: SparkSession, by_m: str) -> None:
    query = f"SELECT DISTINCT m FROM {by_m} LIMIT 3"
    for settings in (
        {"spark.limitPruning.enabled": "false"},
        {"spark.limitPruning.planning.maxTime": "0"},
    ):
        with conf(spark, settings):
            df = spark.sql(query)
            assert len(df.collect()) == 3
            assert not is_pruned(df)
    with conf(spark, {"spark.limitPruning.planning.maxFiles": "2"}):
        df = hold(spark, f"SELECT DISTINCT m FROM {by_m} WHERE id % 2 = 0", 3)
        assert codes(df) == {"out-of-budget"}
        assert "0 of 3 groups" in str(limit_pruning.report(df).only.reason)


def test_offset_and_copies(spark: SparkSession, by_m: str) -> None:
    df = spark.sql(f"SELECT DISTINCT m FROM {by_m} LIMIT 2 OFFSET 3")
    assert len({row[0] for row in df.collect()}) == 2
    assert is_pruned(df)
    assert limit_pruning.report(df).only.files.scanned == 5
    group = f"(SELECT DISTINCT m FROM {by_m} LIMIT 3)"
    df = spark.sql(f"SELECT * FROM {group} UNION ALL SELECT * FROM {group}")
    assert len(df.collect()) == 6
    joined = f"SELECT a.m, count(*) FROM {by_m} a JOIN {group} b ON a.m = b.m GROUP BY a.m"
    wanted = dict(map(tuple, spark.sql(f"SELECT m, count(*) FROM {by_m} GROUP BY m").collect()))
    rows = spark.sql(joined).collect()
    assert len(rows) == 3
    assert all(wanted[m] == count for m, count in rows)
