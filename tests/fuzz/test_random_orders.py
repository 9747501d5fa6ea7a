"""Whatever the table, the order and the limit: the first rows, as plain Spark sorts them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import limit_pruning
from support import random_profiles
from support.random_tables import settings as random_settings
from support.random_tables.orders import OrderedQuery, ordered_queries
from support.random_tables.settings import REFERENCE
from support.random_tables.table import random_tables
from support.runs import as_dicts, conf, in_threads
from support.sparks import QUERY_ERRORS

pytestmark = [pytest.mark.random, pytest.mark.slow, pytest.mark.usefixtures("quiet")]

TABLES, QUERIES_PER_TABLE = 12, 36


def test_random_orders(spark: SparkSession) -> None:
    tally: Counter[str] = Counter()

    def check(data: st.DataObject) -> None:
        table = data.draw(random_tables())
        settings = data.draw(random_settings.settings())
        queries = data.draw(ordered_queries(table, QUERIES_PER_TABLE))
        with TemporaryDirectory() as folder:
            table.register(spark, Path(folder))
            with conf(spark, settings | REFERENCE):
                wanted = in_threads(lambda query: _answer(spark, query), queries)
            with conf(spark, settings):
                first = tally["queries"] + 1
                pairs = [(q, w) for q, w in zip(queries, wanted, strict=True) if w is not None]
                found = in_threads(lambda pair: _pruned(spark, *pair, tally), pairs)
        for number, ((query, _), problem) in enumerate(zip(pairs, found, strict=True), first):
            assert not problem, f"at query {number}: {problem}: {query.sql}\n{settings}\n{table}"

    random_profiles.run(TABLES, check)
    print(sorted(tally.items()))
    assert tally["queries"] >= 200
    assert tally["pruned"] >= 0.2 * tally["queries"], "else the property says nothing"
    few = "else the property says nothing"
    assert tally["pruned by a bound"] >= 0.1 * tally["queries"], few


def _answer(spark: SparkSession, query: OrderedQuery) -> list[dict[str, object]] | None:
    try:
        return as_dicts(spark.sql(query.sql))
    except (*QUERY_ERRORS, ValueError):
        return None  # it fails on some row, or gives a time that Python does not have


def _pruned(
    spark: SparkSession, query: OrderedQuery, wanted: list[dict[str, object]], tally: Counter[str]
) -> str:
    df = spark.sql(query.sql)
    report = limit_pruning.report(df)
    try:
        found = as_dicts(df)
    except QUERY_ERRORS as error:
        return f"fails: {str(error)[:1000]}"
    tally["queries"] += 1
    for limit in report:
        tally["pruned"] += limit.covered
        tally[f"left to Spark, {limit.reason.code}" if limit.reason else "pruned by a bound"] += 1
    return query.problem(found, wanted)
