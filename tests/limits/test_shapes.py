"""Every shape of SQL in which a LIMIT stands over a Parquet scan."""

from __future__ import annotations

from datetime import date

import pytest
from pyspark.sql import SparkSession

from limit_pruning import LimitReport
from support import oracle
from support.predicates import Compare, Predicate, both, sql
from support.runs import assert_answer, on_off
from support.tables import Table

pytestmark = pytest.mark.usefixtures("planned_at_root")

ROWS = {
    "root": "SELECT * FROM sightings {where} LIMIT 7",
    "columns": "SELECT id FROM sightings {where} LIMIT 7",
    "expressions": "SELECT id, upper(species) AS u, s + 1 AS t FROM sightings {where} LIMIT 7",
    "subquery": "SELECT * FROM (SELECT * FROM sightings {where} LIMIT 7) ORDER BY id DESC",
    "cte": "WITH c AS (SELECT * FROM sightings {where} LIMIT 7) SELECT * FROM c",
    "limit_over_limit": "SELECT * FROM (SELECT * FROM sightings {where} LIMIT 9) LIMIT 7",
    "limit_in_limit": "SELECT * FROM (SELECT * FROM sightings {where} LIMIT 7) LIMIT 9",
}
SEVEN = 7


def where(predicate: Predicate | None) -> str:
    """Return the WHERE clause."""
    return "" if predicate is None else f"WHERE {sql(predicate)}"


def assert_covered(limits: tuple[LimitReport, ...], count: int = 1) -> None:
    """Assert that there are so many LIMITs over Parquet, and that all were covered."""
    assert len(limits) == count
    assert [limit.reason for limit in limits] == [None] * count
    assert [limit.covered for limit in limits] == [True] * count


@pytest.mark.parametrize("shape", ROWS.values(), ids=ROWS.keys())
def test_rows(
    spark: SparkSession, sightings: Table, shape: str, predicate: Predicate | None
) -> None:
    runs = on_off(spark, shape.format(where=where(predicate)))
    expected = oracle.matching(sightings.rows, predicate)
    assert_answer(runs.on, expected, SEVEN, ["id"])
    assert_covered(runs.report.limits)


def test_offset(spark: SparkSession, sightings: Table, predicate: Predicate | None) -> None:
    runs = on_off(spark, f"SELECT * FROM sightings {where(predicate)} LIMIT 7 OFFSET 5")
    assert_answer(runs.on, oracle.matching(sightings.rows, predicate), SEVEN)
    assert_covered(runs.report.limits)
    assert runs.report.only.limit == 12


def test_offset_leaves_what_a_short_table_has(spark: SparkSession, sightings: Table) -> None:
    predicate = both(Compare("day", "=", date(2024, 1, 2)), Compare("s", "=", 8))
    runs = on_off(spark, f"SELECT * FROM sightings {where(predicate)} LIMIT 7 OFFSET 5")
    assert_answer(runs.on, oracle.matching(sightings.rows, predicate), 5)


def test_cte_used_twice(spark: SparkSession, sightings: Table, predicate: Predicate | None) -> None:
    limited = f"SELECT * FROM sightings {where(predicate)} LIMIT 7"
    runs = on_off(spark, f"WITH c AS ({limited}) SELECT * FROM c UNION ALL SELECT * FROM c")
    expected = oracle.matching(sightings.rows, predicate)
    assert len(runs.on) == 14
    assert set(oracle.as_bag(runs.on, ["id"])) <= set(oracle.as_bag(expected, ["id"]))
    assert [limit.reason.code for limit in runs.report if limit.reason] == ["repeated-limit"] * 2


def test_union_all_branches(
    spark: SparkSession, sightings: Table, predicate: Predicate | None
) -> None:
    branch = f"SELECT id, s FROM sightings {where(predicate)}"
    runs = on_off(spark, f"({branch}) UNION ALL (SELECT id, s FROM sightings WHERE s < 0) LIMIT 7")
    assert_answer(runs.on, oracle.matching(sightings.rows, predicate), SEVEN)
    assert any(limit.covered for limit in runs.report)


def test_limit_in_each_branch(
    spark: SparkSession, sightings: Table, predicate: Predicate | None
) -> None:
    matching = f"SELECT id FROM sightings {where(predicate)}"
    other = f"SELECT id FROM ({matching}) WHERE id IS NOT NULL"
    runs = on_off(spark, f"({matching} LIMIT 7) UNION ALL ({other} LIMIT 7)")
    assert len(runs.on) == 14
    expected = oracle.matching(sightings.rows, predicate)
    assert set(oracle.as_bag(runs.on, ["id"])) <= set(oracle.as_bag(expected, ["id"]))
    assert_covered(runs.report.limits, 2)


def test_preserved_side_of_an_outer_join(
    spark: SparkSession, sightings: Table, predicate: Predicate | None
) -> None:
    inner = f"SELECT * FROM sightings {where(predicate)}"
    runs = on_off(
        spark, f"SELECT l.id, r.k FROM ({inner}) l LEFT JOIN range(9) r(k) ON l.id = r.k LIMIT 7"
    )
    assert_answer(runs.on, oracle.matching(sightings.rows, predicate), SEVEN, ["id"])
    assert_covered(runs.report.limits)


@pytest.mark.usefixtures("sightings")
def test_exists(spark: SparkSession, predicate: Predicate | None) -> None:
    inner = f"SELECT * FROM sightings {where(predicate)}"
    runs = on_off(spark, f"SELECT 1 AS one WHERE EXISTS ({inner})")
    assert runs.on == runs.off == [{"one": 1}]
    assert_covered(runs.report.limits)
    assert runs.report.only.limit == 1


@pytest.mark.usefixtures("sightings")
def test_exists_where_nothing_matches(spark: SparkSession) -> None:
    runs = on_off(spark, "SELECT 1 WHERE EXISTS (SELECT * FROM sightings WHERE s < 0)")
    assert runs.on == runs.off == []


@pytest.mark.usefixtures("sightings")
def test_count_over_a_limit(spark: SparkSession, predicate: Predicate | None) -> None:
    inner = f"SELECT * FROM sightings {where(predicate)} LIMIT 7"
    runs = on_off(spark, f"SELECT count(*) AS n, count(id) AS ids FROM ({inner})")
    assert runs.on == runs.off == [{"n": 7, "ids": 7}]
    assert_covered(runs.report.limits)


def test_partitions_are_pruned_first(spark: SparkSession, sightings: Table) -> None:
    query = "SELECT * FROM sightings WHERE day = DATE'2024-01-02' LIMIT 7"
    limit = on_off(spark, query).report.only
    assert limit.files.total == 2
    assert limit.files.scanned == 1
    assert limit.row_groups.scanned == 1
    assert len(sightings.files) == 8
