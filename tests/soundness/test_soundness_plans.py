"""What must never change in plans: operators that need all rows, reuse, and other formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from support import oracle
from support.predicates import Compare
from support.runs import as_dicts, assert_answer, assert_left_alone, on_off
from support.tables import Table

SPECIES_AND_S = ["species", "s"]
NEEDS_ALL_ROWS = {
    "distinct": "SELECT DISTINCT species FROM tracking_data WHERE s >= 50 LIMIT 3",
    "aggregate": "SELECT species, max(s) AS m FROM tracking_data GROUP BY species LIMIT 3",
    "window": "SELECT s, sum(s) OVER (ORDER BY s) AS w FROM tracking_data LIMIT 3",
    "generate": "SELECT s, e FROM tracking_data LATERAL VIEW explode(array(1, 2)) x AS e LIMIT 3",
    "sample": "SELECT * FROM tracking_data TABLESAMPLE (50 PERCENT) REPEATABLE (7) LIMIT 3",
}


@pytest.mark.usefixtures("wildlife")
@pytest.mark.parametrize("query", NEEDS_ALL_ROWS.values(), ids=NEEDS_ALL_ROWS.keys())
def test_line_38_operators_that_need_all_rows(spark: SparkSession, query: str) -> None:
    assert assert_left_alone(spark, query).only.reason
    runs = on_off(spark, query)
    assert runs.on == runs.off


def test_line_34_only_parquet_itself(spark: SparkSession, wildlife: Table, tmp_path: Path) -> None:
    for form in ("orc", "json", "csv"):
        spark.table(wildlife.name).write.format(form).save(str(tmp_path / form))
        spark.read.format(form).load(str(tmp_path / form)).createOrReplaceTempView("other")
        report = assert_left_alone(spark, "SELECT * FROM other LIMIT 3")
        assert not report.limits
        assert len(spark.sql("SELECT * FROM other LIMIT 3").collect()) == 3


def test_line_39_offset(spark: SparkSession, wildlife: Table) -> None:
    allowed = oracle.matching(wildlife.rows, Compare("s", ">=", 50))
    for limit, offset in ((3, 0), (2, 1), (3, 3), (3, 4), (3, 5), (3, 100)):
        query = f"SELECT * FROM tracking_data WHERE s >= 50 LIMIT {limit} OFFSET {offset}"
        runs = on_off(spark, query)
        assert len(runs.on) == max(0, min(limit, len(allowed) - offset))
        assert not oracle.as_bag(runs.on, SPECIES_AND_S) - oracle.as_bag(allowed, SPECIES_AND_S)


def test_line_39_offset_without_a_limit(spark: SparkSession, wildlife: Table) -> None:
    runs = on_off(spark, "SELECT * FROM tracking_data OFFSET 5")
    assert len(runs.on) == len(wildlife.rows) - 5


def test_line_39_limit_over_limit(spark: SparkSession, wildlife: Table) -> None:
    allowed = oracle.matching(wildlife.rows, Compare("s", ">=", 50))
    inner = "SELECT * FROM tracking_data WHERE s >= 50 LIMIT 4"
    assert_answer(on_off(spark, f"SELECT * FROM ({inner}) LIMIT 2").on, allowed, 2)
    # A filter above a LIMIT keeps some of those four rows: the inner LIMIT must not grow or shrink.
    over = on_off(spark, f"SELECT count(*) AS n FROM ({inner}) WHERE s > 0")
    assert over.on == [{"n": 4}]


def test_line_39_limit_under_order_by(spark: SparkSession, wildlife: Table) -> None:
    inner = "SELECT * FROM tracking_data WHERE s >= 50 LIMIT 3"
    runs = on_off(spark, f"SELECT * FROM ({inner}) ORDER BY s")
    assert_answer(runs.on, oracle.matching(wildlife.rows, Compare("s", ">=", 50)), 3)
    assert [row["s"] for row in runs.on] == sorted(row["s"] for row in runs.on)


@pytest.mark.usefixtures("wildlife")
def test_line_39_limit_in_both_sides_of_a_union(spark: SparkSession) -> None:
    branch = "(SELECT * FROM tracking_data WHERE s >= {} LIMIT {})"
    query = f"{branch.format(50, 3)} UNION ALL {branch.format(100, 1)}"
    runs = on_off(spark, query)
    assert len(runs.on) == 4


@pytest.mark.usefixtures("wildlife")
def test_line_39_limit_under_an_outer_join(spark: SparkSession) -> None:
    limited = "(SELECT * FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50 LIMIT 3)"
    for kind, rows in (("RIGHT", 12), ("FULL", 12)):
        query = (
            f"SELECT a.s AS x, b.s AS y FROM {limited} a {kind} JOIN tracking_data b ON a.s = b.s"
        )
        runs = on_off(spark, query)
        assert len(runs.on) == rows
        assert len([row for row in runs.on if row["x"] is not None]) == 3
    joined = f"SELECT b.s AS y, a.s AS x FROM tracking_data b LEFT JOIN {limited} a ON a.s = b.s"
    assert len(on_off(spark, f"{joined} LIMIT 11").on) == 11


@pytest.mark.usefixtures("wildlife")
def test_line_40_self_union_with_and_without_a_limit(spark: SparkSession) -> None:
    where = "FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50"
    for first, second in (("LIMIT 3", ""), ("", "LIMIT 3"), ("LIMIT 3", "LIMIT 1")):
        query = f"(SELECT * {where} {first}) UNION ALL (SELECT * {where} {second})"
        expected = sum({"": 4, "LIMIT 3": 3, "LIMIT 1": 1}[part] for part in (first, second))
        assert len(on_off(spark, query).on) == expected


@pytest.mark.usefixtures("wildlife")
def test_line_40_exchange_and_subquery_reuse(spark: SparkSession) -> None:
    where = "FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50"
    limited = f"(SELECT * {where} LIMIT 3)"
    counts = (
        f"SELECT (SELECT count(*) FROM {limited}) AS few, (SELECT count(*) {where}) AS all, "
        f"(SELECT count(*) FROM {limited}) AS again"
    )
    assert on_off(spark, counts).on == [{"few": 3, "all": 4, "again": 3}]
    joined = (
        f"SELECT count(*) AS n FROM (SELECT s % 2 AS k, count(*) AS c {where} GROUP BY 1) a "
        f"FULL JOIN (SELECT s % 2 AS k, count(*) AS c FROM {limited} GROUP BY 1) b "
        "ON a.k = b.k AND a.c = b.c"
    )
    runs = on_off(spark, joined)
    assert runs.on == runs.off == [{"n": 3}]


def test_line_40_a_cached_plan_is_not_the_truncated_one(
    spark: SparkSession, wildlife: Table
) -> None:
    df = spark.table(wildlife.name).where("species LIKE 'Alpine%' AND s >= 50")
    few = df.limit(3).cache()
    try:
        assert few.count() == 3
        assert df.count() == 4
        assert len(as_dicts(df.limit(4))) == 4
        assert len(as_dicts(df.limit(3))) == 3
        for query, is_cached in ((df.limit(3), True), (df, False), (df.limit(4), False)):
            assert ("InMemoryTableScan" in executed_plan(query)) == is_cached
    finally:
        few.unpersist(blocking=True)


def executed_plan(df: DataFrame) -> str:
    """Return the physical plan of a query, which need not have run."""
    untyped: Any = df
    return str(untyped._jdf.queryExecution().executedPlan().toString())
