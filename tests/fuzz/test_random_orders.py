"""Whatever the table, the order and the limit: the first rows, as plain Spark sorts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import limit_pruning
from support import random_profiles
from support.random_tables import settings as random_settings
from support.random_tables.first import FirstQuery, first_queries
from support.random_tables.orders import Row, ordered_queries
from support.random_tables.settings import REFERENCE, Settings
from support.random_tables.table import RandomTable, random_tables
from support.runs import as_dicts, conf, in_threads
from support.scan_tables import SEVERAL_JOBS, physical
from support.sparks import QUERY_ERRORS

pytestmark = [pytest.mark.random, pytest.mark.slow, pytest.mark.usefixtures("quiet")]

TABLES, QUERIES_PER_TABLE = 12, 36
LARGE_TABLES = 6
FEW = "else the property says nothing"


def test_random_orders(spark: SparkSession) -> None:
    tally: Counter[str] = Counter()

    def check(data: st.DataObject) -> None:
        table = data.draw(random_tables())
        settings = data.draw(random_settings.settings())
        queries = data.draw(ordered_queries(table, QUERIES_PER_TABLE))
        _hold(spark, table, settings, queries, tally)

    random_profiles.run(TABLES, check)
    print(sorted(tally.items()))
    assert tally["queries"] >= 200
    assert tally["pruned"] >= 0.2 * tally["queries"], FEW
    assert tally["pruned by a bound"] >= 0.1 * tally["queries"], FEW


def test_random_first_rows_of_many_row_groups(spark: SparkSession) -> None:
    """Jobs find rows in waves, windows number the first rows of groups, and there are extremes."""
    tally: Counter[str] = Counter()

    def check(data: st.DataObject) -> None:
        table = data.draw(random_tables()).with_row_groups(data.draw(st.sampled_from([40, 30])))
        settings = data.draw(random_settings.settings())
        queries = data.draw(first_queries(table, QUERIES_PER_TABLE))
        _hold(spark, table, settings, queries, tally)

    random_profiles.run(LARGE_TABLES, check)
    print(sorted(tally.items()))
    assert tally["queries"] >= 150
    assert tally["in several jobs"] >= 10, FEW
    assert tally["first rows of groups, by rows"] >= 20, FEW
    assert tally["min and max, pruned"] >= 20, FEW


def _hold(
    spark: SparkSession,
    table: RandomTable,
    settings: Settings,
    queries: Sequence[FirstQuery],
    tally: Counter[str],
) -> None:
    with TemporaryDirectory() as folder:
        table.register(spark, Path(folder))
        with conf(spark, settings | REFERENCE):
            rows = in_threads(lambda query: _rows(spark, query.all_sql), queries)
        with conf(spark, settings):
            first = tally["queries"] + 1
            pairs = [(q, r) for q, r in zip(queries, rows, strict=True) if r is not None]
            found = in_threads(lambda pair: _problem(spark, *pair, tally), pairs)
    for number, ((query, _), problem) in enumerate(zip(pairs, found, strict=True), first):
        assert not problem, f"at query {number}: {problem}: {query.sql}\n{settings}\n{table}"


def _rows(spark: SparkSession, sql: str) -> list[Row] | None:
    try:
        return as_dicts(spark.sql(sql))
    except (*QUERY_ERRORS, ValueError):
        return None  # it fails on some row, or gives a time that Python does not have


def _problem(spark: SparkSession, query: FirstQuery, every: list[Row], tally: Counter[str]) -> str:
    df = spark.sql(query.sql)
    planned = limit_pruning.report(df)
    try:
        found = as_dicts(df)
    except QUERY_ERRORS as error:
        return f"fails: {str(error)[:1000]}"
    tally["queries"] += 1
    for limit in planned:
        tally["pruned"] += limit.covered
        tally[f"left to Spark, {limit.reason.code}" if limit.reason else "pruned by a bound"] += 1
    plan = physical(df)
    tally[query.what] += 1
    tally[f"{query.what}, pruned"] += "LimitPrunedScan" in plan
    tally[f"{query.what}, by rows"] += "RowsVerified" in plan
    tally["in several jobs"] += bool(SEVERAL_JOBS.search(plan))
    return query.problem(found, every)
