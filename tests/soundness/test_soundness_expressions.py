"""What must never be proved about expressions: unknown ones, random ones, subqueries and UDFs."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

import limit_pruning
from support import oracle
from support.predicates import Compare, StartsWith
from support.runs import (
    as_dicts,
    assert_answer,
    assert_left_alone,
    check,
    conf,
    hold_each,
    on_off,
)
from support.tables import Table, one_column

pytestmark = pytest.mark.usefixtures("statistics_alone")


def brute_force(spark: SparkSession, where: str) -> list[oracle.Row]:
    """Return what the predicate allows when Spark itself evaluates it row by row, without LIMIT."""
    with conf(spark, {"spark.sql.parquet.filterPushdown": "false"}):
        return as_dicts(spark.sql(f"SELECT * FROM tracking_data WHERE {where}"))


@pytest.mark.usefixtures("wildlife")
@pytest.mark.parametrize(
    "unknown",
    [
        "length(species) > 10",
        "species LIKE '%Goat'",
        "s % 2 = 1",
        "abs(s - 80) < 5",
        "cast(s AS string) LIKE '7%'",
        "species RLIKE 'Sheep|Goat'",
    ],
)
def test_line_20_every_conjunct_counts(spark: SparkSession, unknown: str) -> None:
    where = f"species LIKE 'Alpine%' AND s >= 50 AND {unknown}"
    runs = on_off(spark, f"SELECT * FROM tracking_data WHERE {where} LIMIT 3")
    assert_answer(runs.on, brute_force(spark, where), 3)
    assert not runs.report.only.covered
    runs = on_off(spark, f"SELECT * FROM tracking_data WHERE NOT (s >= 50 AND {unknown}) LIMIT 9")
    assert_answer(runs.on, brute_force(spark, f"NOT (s >= 50 AND {unknown})"), 9)


@pytest.mark.usefixtures("wildlife")
@pytest.mark.parametrize(
    "random",
    [
        "rand() > 0.5",
        "monotonically_increasing_id() % 2 = 0",
        "hash(uuid()) % 100 < 50",
        "spark_partition_id() % 2 = 0",
        "substring(uuid(), 1, 1) < '8'",
        "s > 0 OR hash(uuid()) % 2 = 0",
        "s > 0 AND rand() > 0.5",
    ],
)
def test_line_22_non_deterministic_predicates(spark: SparkSession, random: str) -> None:
    query = f"SELECT * FROM tracking_data WHERE {random} LIMIT 3"
    reason = limit_pruning.report(spark.sql(query)).only.reason
    assert reason
    assert reason.code == "not-deterministic"
    allowed = brute_force(spark, "s > 0")
    rows = as_dicts(spark.sql(query))
    assert not oracle.as_bag(rows, ["species", "s"]) - oracle.as_bag(allowed, ["species", "s"])


@pytest.mark.usefixtures("wildlife")
def test_line_22_the_plan_is_spark_s_own(spark: SparkSession) -> None:
    report = assert_left_alone(spark, "SELECT * FROM tracking_data WHERE rand(5) > 0.5 LIMIT 3")
    assert [limit.reason.code for limit in report if limit.reason] == ["not-deterministic"]


def test_line_23_scalar_subquery(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, pa.int32(), [[1, 2, 3], [7, 8, 9]]).register(spark)
    where = "c > (SELECT avg(c) FROM t)"
    runs = on_off(spark, f"SELECT * FROM t WHERE {where} LIMIT 3")
    assert_answer(runs.on, oracle.matching(table.rows, Compare("c", ">", 5)), 3)


@pytest.mark.usefixtures("wildlife")
def test_line_23_in_and_exists_subqueries(spark: SparkSession) -> None:
    for where in (
        "species IN (SELECT species FROM tracking_data WHERE s > 80)",
        "species LIKE 'Alpine%' AND EXISTS (SELECT 1 FROM range(3) r WHERE r.id = s - 74)",
        "s NOT IN (SELECT s FROM tracking_data WHERE s < 80)",
    ):
        runs = on_off(spark, f"SELECT * FROM tracking_data WHERE {where} LIMIT 2")
        assert_answer(runs.on, brute_force(spark, where), 2)


@pytest.mark.usefixtures("wildlife")
def test_line_23_python_udf_beside_provable_conjuncts(spark: SparkSession) -> None:
    even = udf(lambda value: value % 2 == 0, "boolean")
    df = spark.table("tracking_data").where("species LIKE 'Alpine%' AND s >= 50").where(even("s"))
    rows = as_dicts(df.limit(3))
    assert {row["s"] for row in rows} == {76, 50}
    assert not limit_pruning.report(df.limit(3)).only.covered


def test_line_23_python_udf_in_the_output(spark: SparkSession, wildlife: Table) -> None:
    double = udf(lambda value: value * 2, "int")
    df = spark.table("tracking_data").where("species LIKE 'Alpine%' AND s >= 50")
    rows = as_dicts(df.select("species", double("s").alias("d")).limit(3))
    allowed = oracle.matching(wildlife.rows, Compare("s", ">=", 50))
    assert len(rows) == 3
    assert {row["d"] for row in rows} <= {row["s"] * 2 for row in allowed}


def test_line_15_a_prefix_of_a_pattern_is_only_necessary(
    spark: SparkSession, tmp_path: Path
) -> None:
    groups: list[list[str | None]] = [
        ["100 %", "100$", "100%"],
        ["Alpine Goat", "Alpine Ibex", "Alpine_Sheep"],
        ["Alpine", None, "Alpinf"],
        ["Brown Bear", "Brown\nBear", "Brown"],
        ["a_b", "a_b", "a_b"],
    ]
    one_column(tmp_path, pa.string(), groups).register(spark)
    predicates = [
        "c LIKE 'Alp_ne%'",
        "c LIKE 'Alpine_%'",
        r"c LIKE r'100\%%'",
        "c LIKE '100/%%' ESCAPE '/'",
        r"c NOT LIKE r'100\%%'",
        "c NOT LIKE 'Alp%e%'",
        r"c LIKE r'a\_b'",
        "c LIKE 'a_b'",
        "c RLIKE '^Alpine'",
        "c RLIKE '^Alpine?'",
        "NOT c RLIKE '^Alpine '",
        "c RLIKE '^Brown.Bear$'",
        "c RLIKE '^a|^B'",
        "c RLIKE '(?i)^alpine'",
    ]
    for limit in (2, 5):
        covered = hold_each(spark, "t", predicates, limit)
    assert covered["c NOT LIKE 'Alp%e%'"]
    assert covered["NOT c RLIKE '^Alpine '"]
    assert not covered["c RLIKE '^Alpine'"]


def test_wildcards_inside_a_pattern_are_no_prefix(spark: SparkSession, wildlife: Table) -> None:
    for pattern in ("Alp_ne%", "Alpine%t", "%Alpine%", "Alpine"):
        where = f"species LIKE '{pattern}' AND s >= 50"
        runs = on_off(spark, f"SELECT * FROM tracking_data WHERE {where} LIMIT 3")
        assert_answer(runs.on, brute_force(spark, where), 3)
    assert check(spark, wildlife, StartsWith("species", "Alpine "), 3).covered
