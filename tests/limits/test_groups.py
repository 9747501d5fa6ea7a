"""DISTINCT … LIMIT and GROUP BY … LIMIT: what they read, and what is not pruned."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.runs import assert_left_alone, conf, hold_sql
from support.sparks import needs_spark
from support.tables import Table, write


def pruned(spark: SparkSession, query: str, *limits: int) -> LimitReport:
    """Hold a query with each limit to all its rows, and return the report of the last one."""
    report = hold_sql(spark, query, *limits).only
    assert report.covered, str(report.reason)
    return report


def test_distinct_reads_one_row_group_of_each_value(spark: SparkSession, sightings: Table) -> None:
    report = pruned(spark, "SELECT DISTINCT s FROM sightings WHERE s >= 4", 2, 5)
    assert report.row_groups.scanned == 5
    assert report.rows.to_read == 50
    assert report.row_filter_skipped
    assert len(sightings.files) == 8


@pytest.mark.usefixtures("sightings")
def test_distinct_partitions_read_one_file_each(spark: SparkSession) -> None:
    report = pruned(spark, "SELECT DISTINCT day FROM sightings", 2, 3)
    assert (report.files.inspected, report.files.scanned) == (4, 3)
    report = pruned(spark, "SELECT day FROM sightings GROUP BY day", 4, 100)
    assert (report.files.inspected, report.files.scanned, report.files.total) == (4, 4, 8)


@pytest.mark.usefixtures("sightings")
@pytest.mark.parametrize(
    "query",
    [
        "SELECT DISTINCT s, day FROM sightings",
        "SELECT day, s FROM sightings GROUP BY s, day",
        "SELECT DISTINCT s + 1, day FROM sightings WHERE s < 20",
        "SELECT DISTINCT id, species FROM sightings",
        "SELECT DISTINCT * FROM sightings",
        "SELECT DISTINCT year(day), s FROM sightings WHERE day = DATE'2024-01-02'",
        "SELECT 'x', s FROM sightings GROUP BY s",
        "SELECT day, s + 1, s % 2 = 0 AND day > DATE'2024-01-02' FROM sightings GROUP BY s, day",
    ],
)
def test_several_keys(spark: SparkSession, query: str) -> None:
    pruned(spark, query, 2, 4)


def test_whole_groups_read_all_files_of_their_partitions(
    spark: SparkSession, sightings: Table
) -> None:
    functions = "count(*), sum(id), min(species), count(DISTINCT s), count(DISTINCT species)"
    report = pruned(spark, f"SELECT day, {functions} FROM sightings GROUP BY day", 1, 2)
    assert (report.files.total, report.files.scanned) == (8, 4)
    report = pruned(spark, "SELECT day, s, max(id) FROM sightings WHERE s >= 3 GROUP BY day, s", 2)
    assert report.files.scanned == 4
    assert not report.row_filter_skipped
    assert len(sightings.files) == 8


@pytest.mark.usefixtures("sightings")
@pytest.mark.parametrize(
    ("code", "query"),
    [
        ("not-enough-groups", "SELECT DISTINCT id FROM sightings LIMIT 100"),
        ("not-enough-groups", "SELECT DISTINCT day FROM sightings WHERE id % 7 = 3 LIMIT 2"),
        ("nothing-to-skip", "SELECT day, count(*) FROM sightings GROUP BY day LIMIT 4"),
        ("groups-not-complete", "SELECT s, count(*) FROM sightings GROUP BY s LIMIT 2"),
        ("group-filter", "SELECT day FROM sightings GROUP BY day HAVING max(s) > 7 LIMIT 2"),
        ("operator-between", "SELECT day, count(*) FROM sightings GROUP BY CUBE(day) LIMIT 2"),
        (
            "operator-between",
            "SELECT day, count(*) AS n FROM sightings GROUP BY day ORDER BY n LIMIT 2",
        ),
        (
            "operator-between",
            "SELECT DISTINCT a.s FROM sightings a JOIN sightings b USING (id) LIMIT 2",
        ),
        pytest.param(
            "operator-between",
            "SELECT s FROM sightings QUALIFY rank() OVER (PARTITION BY day ORDER BY s) = 1 LIMIT 2",
            marks=needs_spark("QUALIFY", (4, 2)),
        ),
        (
            "operator-between",
            "SELECT s FROM (SELECT s, rank() OVER (ORDER BY s) r FROM sightings) WHERE r=1 LIMIT 2",
        ),
        (
            "subquery",
            (
                "SELECT DISTINCT s FROM sightings "
                "WHERE day = (SELECT max(day) FROM sightings HAVING count(*) > 0) LIMIT 2"
            ),
        ),
        ("not-deterministic", "SELECT DISTINCT s, rand(1) FROM sightings LIMIT 2"),
    ],
)
def test_not_pruned(spark: SparkSession, code: str, query: str) -> None:
    report = limit_pruning.report(spark.sql(query))
    reasons = [limit.reason.code for limit in report if limit.reason]
    assert reasons == [code]
    if "rand" not in query:
        assert_left_alone(spark, query)


@pytest.mark.parametrize("keys", ["id", "day", "s"])
def test_sessions_are_merged(spark: SparkSession, tmp_path: Path, keys: str) -> None:
    """The sessions of a key are known only if all its rows are read."""
    columns = "id DIV 10 AS s, id, TIMESTAMP_SECONDS(60 * id) AS ts, id DIV 50 AS day"
    rows = spark.range(0, 200, 1, 4).selectExpr(*columns.split(", "))
    rows.write.partitionBy("day").parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("visits")
    for shown in ("session_window", "session_window.start, session_window.end"):
        query = (
            f"SELECT {keys}, {shown} FROM visits GROUP BY {keys}, session_window(ts, '2 minutes')"
        )
        hold_sql(spark, query, 2, 3, 5)  # of one group, Spark itself takes one row


def test_a_search_without_further_values_ends(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("c", pa.int32())])
    for number in range(40):
        write(tmp_path / "t" / f"{number:02}.parquet", [{"c": [1, 9]}], schema)
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("wide")
    report = assert_left_alone(spark, "SELECT DISTINCT c FROM wide LIMIT 3").only
    assert report.reason
    assert report.reason.code == "not-enough-groups"
    assert report.files.inspected == 12


def test_the_budget_ends_a_search(spark: SparkSession, sightings: Table) -> None:
    with conf(spark, {"spark.limitPruning.planning.maxFiles": "2"}):
        report = assert_left_alone(spark, "SELECT DISTINCT day FROM sightings LIMIT 4").only
    assert report.reason
    assert report.reason.code == "out-of-budget"
    assert "2 of 4 groups" in report.reason.message
    assert len(sightings.files) == 8


def test_pages_of_large_row_groups(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("c", pa.int32()), ("text", pa.string())])
    groups = [{"c": [n] * 5000, "text": [f"{n} {i}" for i in range(5000)]} for n in range(3)]
    options = {"write_page_index": True, "max_rows_per_page": 100, "write_batch_size": 100}
    write(tmp_path / "t.parquet", groups, schema, use_dictionary=False, **options)
    spark.read.parquet(str(tmp_path / "t.parquet")).createOrReplaceTempView("paged")
    with conf(spark, {"spark.limitPruning.pages.minBytes": "0"}):
        report = pruned(spark, "SELECT DISTINCT c FROM paged", 2, 3, 9)
        assert report.rows.to_read == 3
        report = pruned(spark, "SELECT DISTINCT c, length(text) > 0 FROM paged", 2)
        assert report.rows.to_read == 2
