"""Whatever happened to an Iceberg table: the rows that Iceberg gives without LIMIT and us."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import limit_pruning
from support import random_profiles
from support.iceberg import random_tables
from support.iceberg.random_tables import History, Query
from support.iceberg.tables import by_metadata_and_by_rows, outcome_of
from support.random_histories import Draw
from support.runs import INTERPRETED, REFERENCE, conf, in_threads
from support.sessions import OURS_FIRST

pytestmark = [
    pytest.mark.random,
    pytest.mark.slow,
    OURS_FIRST,
]

TABLES, TABLES_OF_PYICEBERG, QUERIES = 12, 8, 15


def test_random_iceberg_tables(spark: SparkSession) -> None:
    tally = _tally(spark, TABLES, random_tables.create)
    assert tally["pruned"] >= 0.15 * tally["queries"], "else the property says nothing"
    assert tally["by rows"] >= 0.1 * tally["queries"], "else the property says nothing"
    assert tally["skipped by OFFSET"] >= 10, "else the property says nothing"


def test_random_tables_of_pyiceberg(spark: SparkSession) -> None:
    pytest.importorskip("pyiceberg")
    from support.iceberg import random_pyiceberg

    tally = _tally(spark, TABLES_OF_PYICEBERG, random_pyiceberg.create)
    assert tally["pruned"] >= 0.15 * tally["queries"], "else the property says nothing"


def _tally(
    spark: SparkSession, tables: int, create: Callable[[SparkSession, Draw], History]
) -> Counter[str]:
    """Hold queries over random tables to those of Iceberg alone, and count what happened."""
    tally: Counter[str] = Counter()

    def check(data: st.DataObject) -> None:
        with conf(spark, INTERPRETED):
            history = create(spark, data.draw)
        queries = [random_tables.query(history, data.draw) for _ in range(QUERIES)]
        queries += random_tables.probes(history)
        with conf(spark, REFERENCE):
            wanted = in_threads(lambda query: _rows(spark, query.without_limit), queries)
        pairs = list(zip(queries, wanted, strict=True))
        first = tally["queries"] + 1
        found = by_metadata_and_by_rows(spark, lambda pair: _problem(spark, *pair, tally), pairs)
        made = "\n".join(history.statements)
        for number, ((query, rows), problem) in enumerate(zip(pairs, found, strict=True), first):
            assert not problem, f"at query {number}: {problem}: {query.sql(rows.total())}\n{made}"
        spark.sql(f"DROP TABLE {history.table} PURGE")

    random_profiles.run(tables, check)
    print(sorted(tally.items()))
    return tally


def _rows(spark: SparkSession, sql: str) -> Counter[str]:
    return Counter(map(repr, spark.sql(sql).collect()))


def _problem(
    spark: SparkSession, query: Query, allowed: Counter[str], tally: Counter[str]
) -> str | None:
    df = spark.sql(query.sql(allowed.total()))
    found = Counter(map(repr, df.collect()))
    outcomes = [each.reason.code if each.reason else "covered" for each in limit_pruning.report(df)]
    skipped = [each.rows.skipped for each in limit_pruning.report(df) if each.rows]
    tally.update(["queries", *outcomes, *outcome_of(df)])
    tally["skipped by OFFSET"] += any(skipped)
    if found - allowed:
        return f"rows that are not in the table, or do not match: {list(found - allowed)[:3]}"
    if found.total() != min(query.limit(allowed.total()), allowed.total()):
        return f"{found.total()} rows of {allowed.total()}"
    return None
