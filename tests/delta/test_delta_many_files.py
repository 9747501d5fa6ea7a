"""More than 64 files: the log says which of them are inspected, and which are not needed.

Of more than 1,000 files, the log's statistics are read for the first 1,000, and for the others if
these are not enough.
"""

from __future__ import annotations

import time

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.delta import tables
from support.delta.planning import asked_the_log, forget, jobs
from support.runs import conf
from support.scan_tables import hold, is_pruned, physical

pytestmark = pytest.mark.parametrize("spark", ["Delta first"], indirect=True)

ROWS, FILES = 4000, 80


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of 80 files that are sorted by ``id``, in an order that their names do not show."""
    path = tmp_path_factory.mktemp("delta") / "t"
    rows = spark.range(ROWS).selectExpr(
        "id * 37 % 4000 AS id",
        "IF(id % 400 = 9, NULL, id * 37 % 4000 DIV 50) AS k",
        "CAST(id * 37 % 4000 AS STRING) AS s",
        "TIMESTAMP'2024-01-01 00:00:00.000900' "
        "+ MAKE_DT_INTERVAL(0, 0, 0, 0.0007 * (id * 37 % 4000)) AS ts",
        "TIMESTAMP'1850-01-01' + MAKE_DT_INTERVAL(0, id * 37 % 4000) AS old",
        "DATE'2024-01-01' + CAST(id * 37 % 4000 AS INT) AS d",
        "IF(id % 1000 = 0, DOUBLE('NaN'), id * 37 % 4000 / 3.0D) AS f",
    )
    by_id = rows.repartitionByRange(FILES, "id").sortWithinPartitions("id")
    by_id.write.format("delta").option("delta.enableDeletionVectors", "true").save(str(path))
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id BETWEEN 3900 AND 3990 OR id % 500 = 3")
    return f"delta.`{path}`"


@pytest.mark.parametrize("key", ["id", "k", "s", "ts", "old", "d", "f"])
def test_order_by_has_the_first_rows(spark: SparkSession, table: str, key: str) -> None:
    for direction in ("", " DESC", " DESC NULLS FIRST", " NULLS LAST"):
        order = f"{key}{direction}, id"
        hold(spark, f"SELECT id FROM {table} ORDER BY {order}", 12, ordered=True)
    where = f"{key} IS NOT NULL AND id % 3 = 1"
    hold(spark, f"SELECT id FROM {table} WHERE {where} ORDER BY {key}, id", 12, ordered=True)


def test_order_by_inspects_the_best_files_only(spark: SparkSession, table: str) -> None:
    df = hold(spark, f"SELECT id FROM {table} ORDER BY ts DESC", 5, ordered=True)
    report = limit_pruning.report(df).only
    assert report.files.total == FILES - 1  # all rows of one file are deleted
    assert report.files.inspected is not None
    assert report.files.inspected <= 8
    assert report.files.scanned is not None
    assert report.files.scanned <= 4


def test_files_that_delta_skips_are_counted(spark: SparkSession, table: str) -> None:
    where = "id >= 50 AND id < 450"  # none of these rows were deleted
    df = hold(spark, f"SELECT id FROM {table} WHERE {where} ORDER BY id", 5, ordered=True)
    report = limit_pruning.report(df).only
    assert report.files.total is not None
    assert report.files.pruned_by_log is not None
    assert 8 <= report.files.total <= 10
    assert report.files.pruned_by_log + report.files.total == FILES - 1
    assert f"{report.files.pruned_by_log} pruned by log" in str(report)
    assert f"FilesPrunedByLog: {report.files.pruned_by_log}" in physical(df)


def test_a_limit_inspects_matching_files_without_deleted_rows_first(
    spark: SparkSession, table: str
) -> None:
    df = hold(spark, f"SELECT id, s FROM {table} WHERE ts > TIMESTAMP'2024-01-01 00:00:00.002'", 90)
    assert is_pruned(df)
    assert limit_pruning.report(df).only.files.scanned == 2


MANY, ROWS_OF_EACH = 1100, 10


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of 1,100 files that are sorted by ``id``, also by their names."""
    return tables.write_log(tmp_path_factory.mktemp("delta") / "many", MANY, ROWS_OF_EACH)


# Delta's data skipping evaluates the first, and not the other.
@pytest.mark.parametrize("id_", ["id", "id + 1"])
@pytest.mark.parametrize("first", [5, 9_000, 10_955])
def test_a_limit_over_more_files_than_are_asked_at_once(
    spark: SparkSession, many: str, id_: str, first: int
) -> None:
    df = hold(spark, f"SELECT * FROM {many} WHERE {id_} >= {first}", 15)
    assert is_pruned(df)
    report = limit_pruning.report(df).only
    assert report.files.inspected is not None
    assert report.files.inspected <= 8
    assert report.files.scanned == 2


def test_order_by_over_more_files_than_are_asked_at_once(spark: SparkSession, many: str) -> None:
    for direction in ("", " DESC"):
        df = hold(spark, f"SELECT * FROM {many} ORDER BY id{direction}", 15, ordered=True)
        report = limit_pruning.report(df).only
        assert report.files.inspected is not None
        assert report.files.inspected <= 8
        assert report.files.scanned == 2


def test_statistics_are_read_for_the_first_files_only_if_they_are_enough(
    spark: SparkSession, many: str
) -> None:
    limited = f"SELECT * FROM {many} WHERE id + 1 >= {{}} LIMIT 15"
    ordered = f"SELECT * FROM {many} ORDER BY id LIMIT 15"

    def planned(query: str) -> int:
        forget(spark, many)
        return jobs(spark, query)

    first, last = planned(limited.format(5)), planned(limited.format(10_955))
    assert first < last
    # The statistics of all files are read at once where all are needed.
    assert planned(ordered) < last


def test_statistics_are_not_read_if_no_time_is_left(spark: SparkSession, many: str) -> None:
    limited = f"SELECT * FROM {many} WHERE id + 1 >= {{}} LIMIT 15"
    jobs(spark, limited.format(5))  # Delta's own jobs, which load the snapshot
    forget(spark, many)
    before = jobs(spark, limited.format(6))
    forget(spark, many)
    with conf(spark, {"spark.limitPruning.planning.maxTime": "0"}):
        assert jobs(spark, limited.format(7)) < before
        hold(spark, f"SELECT * FROM {many} WHERE id + 1 >= 10955", 15)
        hold(spark, f"SELECT * FROM {many} ORDER BY id", 15, ordered=True)


def test_statistics_that_took_too_long_are_not_waited_for_again(
    spark: SparkSession, many: str
) -> None:
    def asked(first: int, times: list[str]) -> int:
        # Delta chooses the files of queries that read something else, too.
        queries = [
            f"SELECT * FROM (SELECT * FROM {many} WHERE id + 1 >= {first + n} LIMIT 15), range(1)"
            for n in range(len(times))
        ]
        for query, most in zip(queries, times, strict=True):
            with conf(spark, {"spark.limitPruning.planning.maxTime": most}):
                jobs(spark, query)
        time.sleep(1)  # a query that was left may submit its job later
        return sum(asked_the_log(spark, query) for query in queries)

    forget(spark, many)
    # The first tries, and the fifth; then fifteen do not. With more time, the next one tries.
    assert asked(20, ["1ms"] * 13) <= 2
    assert asked(40, [f"{n}ms" for n in range(2, 10)]) > 2
    with conf(spark, {"spark.limitPruning.planning.maxTime": "1min"}):
        query = f"SELECT * FROM {many} WHERE id + 1 >= 33 LIMIT 15"
        jobs(spark, query)
        assert asked_the_log(spark, query), "it has more time now"
