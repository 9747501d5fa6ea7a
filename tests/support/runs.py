"""Runs queries with the extension on and off, and holds both to the same promise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from limit_pruning import LimitReport, PruningReport
from support import oracle
from support.predicates import Predicate, sql
from support.tables import Table

A = TypeVar("A")
B = TypeVar("B")

THREADS = 4
ENABLED = "spark.limitPruning.enabled"
VECTORIZED = "spark.sql.parquet.enableVectorizedReader"
VECTORIZED_NESTED = "spark.sql.parquet.enableNestedColumnVectorizedReader"
# No code is compiled for a query, which takes most of the time of a small one.
INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
# What a query is compared with: plain Spark, in the plainest way.
REFERENCE = {ENABLED: "false", "spark.sql.adaptive.enabled": "false", **INTERPRETED}
# Spark filters the other side of a join by keys of the preserved one, which it reads twice.
WITH_RUNTIME_FILTERS = {
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "true",
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": "0",
}
# A reference that sorts reads its table once; with more partitions, Spark reads it first to find
# their ranges.
IN_ONE_PARTITION = {"spark.sql.shuffle.partitions": "1"}
# Nothing is skipped by statistics, column indexes or bloom filters.
ROW_BY_ROW = {**REFERENCE, **IN_ONE_PARTITION, "spark.sql.parquet.filterPushdown": "false"}
# Rows are searched for wherever it is possible, also in small tables, file by file.
BY_ROWS = {
    "spark.limitPruning.rows.minBytes": "0",
    "spark.limitPruning.pages.minBytes": "0",
    "spark.sql.files.openCostInBytes": "1g",
}


@dataclass(frozen=True)
class Runs:
    """The same query twice; the report is that of the run with the extension on."""

    off: list[dict[str, Any]]
    on: list[dict[str, Any]]
    report: PruningReport


@contextmanager
def conf(spark: SparkSession, settings: dict[str, str]) -> Iterator[None]:
    """Set these for the block and restore what was there before."""
    before = {key: spark.conf.get(key, None) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)


def planned(df: DataFrame) -> DataFrame:
    """Plan the query, which looks at footers, and do not run it."""
    df._jdf.queryExecution().executedPlan()
    return df


def in_threads(run: Callable[[A], B], over: Sequence[A]) -> list[B]:
    """Return what `run` gives for each, in order; small queries leave most of the machine idle."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, over))


def on_off(
    spark: SparkSession, query: str, reference: Mapping[str, str] = MappingProxyType(REFERENCE)
) -> Runs:
    """Run a query with the extension off, then on; types and names of columns must agree."""
    with conf(spark, dict(reference)):
        plain = spark.sql(query)
        off = as_dicts(plain)
    pruned = spark.sql(query)
    on = as_dicts(pruned)
    assert pruned.schema == plain.schema
    assert len(on) == len(off)
    return Runs(off, on, limit_pruning.report(pruned))


def as_dicts(df: DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a DataFrame as dicts."""
    return [row.asDict() for row in df.collect()]


def check(
    spark: SparkSession,
    table: Table,
    predicate: Predicate | None,
    limit: int,
    columns: list[str] | None = None,
) -> LimitReport:
    """Do as `hold`, and return the report of the query's one LIMIT."""
    return hold(spark, table, predicate, limit, columns).only


def hold(
    spark: SparkSession,
    table: Table,
    predicate: Predicate | None,
    limit: int,
    columns: list[str] | None = None,
) -> PruningReport:
    """Run ``SELECT * ... LIMIT`` on and off, hold both against the oracle, return the report."""
    where = "" if predicate is None else f" WHERE {sql(predicate)}"
    runs = on_off(spark, f"SELECT * FROM {table.name}{where} LIMIT {limit}")
    expected = oracle.matching(table.rows, predicate)
    for rows in (runs.off, runs.on):
        assert_answer(rows, expected, limit, columns)
    return runs.report


def hold_counts(found: Counter[Any], allowed: Counter[Any], limit: int, what: str) -> None:
    """Hold rows to those that are allowed, and their number to a limit."""
    assert not found - allowed, f"rows that the predicate does not allow: {what}"
    assert found.total() == min(limit, allowed.total()), f"too few or too many rows: {what}"


def hold_sql(spark: SparkSession, query: str, *limits: int) -> PruningReport:
    """Hold ``query LIMIT n`` to all rows of the query, for SQL that the oracle cannot read.

    All rows are those that plain Spark finds when it evaluates the predicate row by row. Returns
    the report of the last limit.
    """
    with conf(spark, ROW_BY_ROW):
        plain = spark.sql(query)
        allowed = Counter(map(repr, plain.collect()))
    for limit in limits:
        pruned = spark.sql(f"{query} LIMIT {limit}")
        found = Counter(map(repr, pruned.collect()))
        assert pruned.schema == plain.schema
        hold_counts(found, allowed, limit, query)
    return limit_pruning.report(pruned)


def hold_each(
    spark: SparkSession, table: str, predicates: list[str], limit: int, key: str = "id"
) -> dict[str, bool]:
    """Hold ``SELECT key ... WHERE predicate LIMIT limit`` as `hold_sql` does, for each predicate.

    All predicates are evaluated by one query, in its output, which no filter precedes. Returns
    which of them were covered.
    """
    marks = ", ".join(f"({predicate}) AS p{number}" for number, predicate in enumerate(predicates))
    with conf(spark, ROW_BY_ROW):
        rows = spark.sql(f"SELECT {key} AS k, {marks} FROM {table}").collect()
    covered = {}
    for number, predicate in enumerate(predicates):
        allowed = Counter(repr(row.k) for row in rows if row[f"p{number}"])
        pruned = spark.sql(f"SELECT {key} AS k FROM {table} WHERE {predicate} LIMIT {limit}")
        found = Counter(repr(row.k) for row in pruned.collect())
        hold_counts(found, allowed, limit, predicate)
        covered[predicate] = any(report.covered for report in limit_pruning.report(pruned))
    return covered


def outcome(spark: SparkSession, query: str) -> list[str] | str:
    """Return the query's rows in order of their texts, or else the error with its file's name."""
    try:
        df = spark.sql(query)
    except (PySparkException, Py4JJavaError) as error:
        return _in_short(error)
    return outcome_of(df)


def outcome_of(df: DataFrame) -> list[str] | str:
    """Do as `outcome`, for a query that may have been planned before."""
    try:
        return sorted(map(repr, df.collect()))
    except (PySparkException, Py4JJavaError) as error:
        return _in_short(error)


def _in_short(error: Exception) -> str:
    condition = re.search(r"\[([A-Z][A-Z0-9_.]+)\]", str(error))
    if not condition and isinstance(error, Py4JJavaError):
        # Spark 3.5 names the file only if it was open, and its text has the stack.
        return _root_cause(error)
    named = re.search(r"reading file \S*/([^/\s]+?)\.? ", str(error) + " ")
    return f"{condition[1] if condition else error} {named[1] if named else ''}".strip()


def _root_cause(error: Py4JJavaError) -> str:
    cause: Any = error.java_exception
    while cause.getCause() is not None:
        cause = cause.getCause()
    return str(cause.toString())


def assert_answer(
    rows: list[dict[str, Any]],
    matching: list[oracle.Row],
    limit: int,
    columns: list[str] | None = None,
) -> None:
    """Assert that the rows are `limit` of the matching ones, or all where there are fewer."""
    names = columns or (list(rows[0]) if rows else [])
    assert len(rows) == min(limit, len(matching))
    unexpected = oracle.as_bag(rows, names) - oracle.as_bag(matching, names)
    assert not unexpected, f"rows that the predicate does not allow: {unexpected}"


def plan(spark: SparkSession, query: str) -> str:
    """Return the optimized and physical plans without what differs from run to run."""
    df: Any = spark.sql(query)
    execution = df._jdf.queryExecution()
    text = f"{execution.optimizedPlan()}\n{execution.executedPlan()}"
    numbers: dict[str, str] = {}
    text = re.sub(r"plan_id=\d+", "plan_id=?", text)
    return re.sub(r"#\d+", lambda m: numbers.setdefault(m[0], f"#{len(numbers)}"), text)


def assert_left_alone(spark: SparkSession, query: str) -> PruningReport:
    """Assert that the query is planned exactly as without the extension, and runs."""
    with conf(spark, {ENABLED: "false"}):
        expected = plan(spark, query)
    assert plan(spark, query) == expected
    report = limit_pruning.report(spark.sql(query))
    assert not any(limit.covered for limit in report)
    assert all(limit.reason for limit in report)
    return report
