"""A min or a max in the subquery of a predicate reads only the row groups that may have it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.runs import conf
from support.scan_tables import hold, physical, plain, write_by_p

# Each of the three partitions has eight files of 50 rows.
ROWS = 1200


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write ``id``, ``f`` of the same values, and ``v``, which is in no order, by ``p``."""
    path = tmp_path_factory.mktemp("min_max") / "t"
    rows = spark.range(ROWS).selectExpr(
        "id", "cast(id AS double) f", "id * 7 % 10 v", "id div 400 AS p"
    )
    write_by_p(rows, path)
    return path


@pytest.fixture(autouse=True)
def t(spark: SparkSession, folder: Path) -> None:
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")


def of_subqueries(spark: SparkSession, where: str) -> dict[str, int]:
    """Hold the query to plain Spark. Return how many row groups are read, by min or max."""
    shown = physical(hold(spark, f"SELECT * FROM t WHERE {where}", 3))
    scans = re.findall(r"Limit: 1, OrderBy: (.*?), .* → (\d+) scanned, Files", shown)
    return {order: int(row_groups) for order, row_groups in scans}


PRUNED = {
    "partition": ("p = (SELECT max(p) FROM t)", 1),
    "lowest partition": ("p = (SELECT min(p) FROM t)", 1),
    "column": ("id >= (SELECT max(id) - 70 FROM t)", 1),
    "of several functions": ("id >= (SELECT max(id) - max(id) % 100 FROM t)", 1),
    "distinct": ("p = (SELECT max(DISTINCT p) FROM t)", 1),
    "with a predicate": ("id <= (SELECT min(id) + 3 FROM t WHERE p = 1)", 1),
    "of an expression": ("id >= (SELECT max(id + 5) - 90 FROM t)", 1),
    # Both have the same order.
    "partition before the last": ("p = (SELECT max(p) FROM t WHERE p < (SELECT max(p) FROM t))", 1),
    "two subqueries": ("p = (SELECT max(p) FROM t) AND id >= (SELECT min(id) + 900 FROM t)", 2),
    "below a join": (
        "id >= (SELECT a.m - b.m FROM (SELECT max(id) m FROM t) a, (SELECT max(p) m FROM t) b)",
        2,
    ),
}


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("what", PRUNED)
def test_one_row_group_is_read(spark: SparkSession, what: str, adaptive: str) -> None:
    where, scans = PRUNED[what]
    with conf(spark, {"spark.sql.adaptive.enabled": adaptive}):
        found = of_subqueries(spark, where)
    assert list(found.values()) == [1] * scans, found


NOT_PRUNED = {
    "both ends": "id >= (SELECT max(p) + min(p) FROM t)",
    "two columns": "id >= (SELECT max(id) - max(v) FROM t)",
    "another function": "id >= (SELECT count(*) - 9 FROM t)",
    "max and count": "id >= (SELECT max(id) - count(*) FROM t)",
    "some of the rows": "p = (SELECT max(p) FILTER (WHERE v = 3) FROM t)",
    "groups": "p = (SELECT max(p) m FROM t GROUP BY v ORDER BY m LIMIT 1)",
    # Of 0.0 and -0.0, plain Spark returns the one that it reads first.
    "a double": "f >= (SELECT max(f) - 9 FROM t)",
    "in no order": "v = (SELECT max(v) FROM t)",
    "hint": "p = (SELECT /*+ NO_LIMIT_PRUNING */ max(p) FROM t)",
    "no LIMIT reads it": "p IN (SELECT max(p) FROM t)",
}


@pytest.mark.parametrize("what", NOT_PRUNED)
def test_other_subqueries_run_as_without_the_extension(spark: SparkSession, what: str) -> None:
    assert of_subqueries(spark, NOT_PRUNED[what]) == {}


def test_files_that_spark_may_skip(spark: SparkSession) -> None:
    """The file with the max may be the one that is missing."""
    for kind in ("ignoreMissingFiles", "ignoreCorruptFiles"):
        with conf(spark, {f"spark.sql.files.{kind}": "true"}):
            assert of_subqueries(spark, PRUNED["partition"][0]) == {}


def test_a_table_with_buckets_and_one_without_files(spark: SparkSession, tmp_path: Path) -> None:
    """Where the LIMIT is not decided when the query runs, nothing about its subqueries changes."""
    spark.sql(
        "CREATE TABLE buckets USING parquet CLUSTERED BY (v) INTO 3 BUCKETS AS SELECT * FROM t"
    )
    try:
        df = hold(spark, "SELECT * FROM buckets WHERE p = (SELECT max(p) FROM t)", 5)
        assert "LimitPrunedScan" not in physical(df)
        df = hold(spark, "SELECT * FROM t WHERE p = (SELECT max(p) FROM buckets)", 5)
        assert "LimitPrunedScan" in physical(df)
    finally:
        spark.sql("DROP TABLE buckets")
    (tmp_path / "e").mkdir()
    spark.read.schema("p int").parquet(str(tmp_path / "e")).createOrReplaceTempView("e")
    assert plain(spark, "SELECT max(p) FROM e") == [(None,)]
    hold(spark, "SELECT * FROM t WHERE p = (SELECT max(p) FROM e) OR p = 1", 5)
    hold(spark, "SELECT * FROM t WHERE p = coalesce((SELECT max(p) FROM e), 2)", 5)


def test_explain_shows_what_the_subquery_reads(spark: SparkSession) -> None:
    df = spark.sql("SELECT * FROM t WHERE p = (SELECT max(p) FROM t) LIMIT 5")
    df.collect()
    assert "OrderBy: t.p DESC NULLS LAST, Threshold: 2" in physical(df)
    assert re.search(r"Files: 24 total → \d inspected → 1 scanned", physical(df))
