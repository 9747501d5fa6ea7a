"""Predicates of absurd size: planned wherever Spark plans them, with a short reason."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import col, expr, lit, when

import limit_pruning
from limit_pruning import LimitReport
from support.runs import ENABLED, conf
from support.tables import write

ROWS = 100
LONGEST_REASON = 2000
LONGEST_PREDICATE = 20_000  # each conjunct is cut


@pytest.fixture
def numbers(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Ten row groups of ten rows; ``c`` is 0 to 9 in each."""
    groups = [
        {"id": list(range(start, start + 10)), "c": list(range(10))} for start in range(0, ROWS, 10)
    ]
    schema = pa.schema([("id", pa.int64()), ("c", pa.int64())])
    write(tmp_path / "numbers.parquet", groups, schema)
    return spark.read.parquet(str(tmp_path))


def hold(df: DataFrame, where: Column, limit: int, rows: set[int]) -> LimitReport:
    """Hold ``WHERE where LIMIT limit`` to the ids that match; return its report."""
    query = df.where(where).limit(limit)
    found = [row.id for row in query.collect()]
    assert len(set(found)) == len(found) == min(limit, len(rows))
    assert set(found) <= rows
    report = limit_pruning.report(query).only
    assert len(report.predicate or "") < LONGEST_PREDICATE
    assert report.reason is None or len(report.reason.message) < LONGEST_REASON
    return report


def test_a_list_of_a_hundred_thousand_values(numbers: DataFrame) -> None:
    even = range(0, 10_000, 2)
    wanted = {n for n in range(ROWS) if n % 2 == 0}
    listed = expr(f"id IN ({', '.join(map(str, even))})")
    hold(numbers, listed, 20, wanted)
    assert hold(numbers, ~listed & (col("id") % 2 == 1), 20, set(range(ROWS)) - wanted)
    beyond = expr(f"id NOT IN ({', '.join(str(n) for n in range(95, 100_095))})")
    assert hold(numbers, beyond, 90, set(range(95))).covered


def test_hundreds_of_conjuncts(numbers: DataFrame) -> None:
    # In SQL: Spark 4.0 turns Python's columns into expressions with a stack frame for each `&`.
    holds = " AND ".join(["id >= 50", *(f"id <> -{n}" for n in range(1, 300))])
    assert hold(numbers, expr(holds), 30, set(range(50, ROWS))).covered
    undecided = " AND ".join(["id >= 50", *(f"(c * {n}) % 1009 <> 1008" for n in range(1, 100))])
    hold(numbers, expr(undecided), 30, set(range(50, ROWS)))


def test_conditions_in_conditions(numbers: DataFrame) -> None:
    deep = col("id") >= 50
    for n in range(1, 150):
        deep = (deep & (col("id") >= -n)) if n % 2 else (deep | (col("id") == -n))
    assert hold(numbers, deep, 30, set(range(50, ROWS))).covered


def test_functions_in_functions(numbers: DataFrame) -> None:
    deep = col("id")
    for n in range(1, 200):
        deep = when(col("id") == -n, lit(n)).otherwise(deep)
    report = hold(numbers, deep >= 50, 30, set(range(50, ROWS)))
    assert report.covered, "each row group has few values"


def test_what_spark_plans_is_planned(spark: SparkSession, numbers: DataFrame) -> None:
    """Where the stack is used up, it is Spark that uses it up. At 300 levels that is by chance."""
    planned = 0
    for levels in (200, 600, 2000):
        deep = col("id") >= 50
        for n in range(1, levels):
            deep = (deep & (col("id") >= -n)) if n % 2 else (deep | (col("id") == -n))
        with conf(spark, {ENABLED: "false"}):
            plain = _ids(numbers, deep)
        found = _ids(numbers, deep)
        assert (found is None) == (plain is None), f"{levels} levels"
        assert found is None or (len(found) == 30 and min(found) >= 50)
        planned += found is not None
    assert planned, "there is stack enough for some"


def _ids(df: DataFrame, where: Column) -> list[int] | None:
    try:
        return [row.id for row in df.where(where).limit(30).collect()]
    except Py4JJavaError as error:
        if "StackOverflowError" not in str(error):
            raise
        return None


@pytest.mark.parametrize("limit", [2**31 - 1, 2**31 - 2])
def test_the_largest_limit(numbers: DataFrame, limit: int) -> None:
    assert hold(numbers, col("id") >= 50, limit, set(range(50, ROWS))).covered
    hold(numbers, col("c") == 3, limit, {n for n in range(ROWS) if n % 10 == 3})
