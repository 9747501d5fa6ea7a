"""Whatever the table and the query, Comet with the extension gives the rows of plain Spark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import limit_pruning
from support import random_profiles
from support.comet.session import ENABLED as COMET
from support.random_tables import settings as random_settings
from support.random_tables.orders import OrderedQuery, ordered_queries
from support.random_tables.queries import Query, random_queries
from support.random_tables.reference import Reference, Row
from support.random_tables.runs import problem_with
from support.random_tables.settings import REFERENCE
from support.random_tables.table import random_tables
from support.runs import ENABLED, as_dicts, conf, in_threads
from support.sessions import OURS_FIRST
from support.sparks import QUERY_ERRORS

pytestmark = [
    pytest.mark.random,
    pytest.mark.slow,
    pytest.mark.usefixtures("quiet"),
    OURS_FIRST,
]

TABLES, QUERIES, ORDERED_QUERIES = 8, 24, 16
WITHOUT_COMET = {COMET: "false"}
MODES = {
    "spark.limitPruning.fileScan": ["auto", "auto", "never"],
    "spark.comet.parquet.rowFilterPushdown.enabled": ["false", "true"],
}


def test_random_tables(spark: SparkSession) -> None:
    tally: Counter[str] = Counter()

    def check(data: st.DataObject) -> None:
        table = data.draw(random_tables())
        settings = data.draw(random_settings.settings())
        modes = {key: data.draw(st.sampled_from(values)) for key, values in MODES.items()}
        queries = data.draw(random_queries(table, QUERIES))
        ordered = data.draw(ordered_queries(table, ORDERED_QUERIES))
        with TemporaryDirectory() as folder:
            with conf(spark, WITHOUT_COMET):
                table.register(spark, Path(folder))
                predicates = [query.predicate.sql for query in queries if query.predicate]
                reference = Reference(spark, settings, predicates)
                with conf(spark, settings | REFERENCE):
                    first = in_threads(lambda query: _answer(spark, query), ordered)
            checks = [
                *(_of_any(spark, q, rows) for q in queries if (rows := _due(reference, q))),
                *(
                    _of_first(spark, q, rows)
                    for q, rows in zip(ordered, first, strict=True)
                    if rows
                ),
            ]
            with conf(spark, settings | modes):
                for problem, check in zip(
                    in_threads(lambda c: c(tally), checks), checks, strict=True
                ):
                    _judge(spark, problem, check, tally, f"{settings | modes}\n{table}")

    random_profiles.run(TABLES, check)
    print(sorted(tally.items()))
    assert tally["wrong with Comet alone"] <= 0.05 * tally["queries"], tally
    assert tally["covered"] >= 0.2 * tally["queries"], "else the property says nothing"
    assert tally["read by Comet"] >= 0.1 * tally["queries"], "else the property says nothing"


Check = Callable[[Counter[str]], str]


def _judge(spark: SparkSession, problem: str, check: Check, tally: Counter[str], what: str) -> None:
    """Raise what is wrong with an answer, unless Comet alone gets it wrong, too."""
    if not problem:
        return
    with conf(spark, {ENABLED: "false"}):
        alone = check(Counter())
    tally["wrong with Comet alone"] += bool(alone)
    assert alone, f"{problem}\n{what}"


def _due(reference: Reference, query: Query) -> tuple[list[Row]] | None:
    if query.predicate is None:
        return (reference.rows,)
    matching = reference.matching.get(query.predicate.sql)
    return None if matching is None else (matching,)


def _of_any(spark: SparkSession, query: Query, due: tuple[list[Row]]) -> Check:
    def check(tally: Counter[str]) -> str:
        problem, _ = problem_with(spark, query, due[0])
        _count(spark, query.sql(len(due[0])), tally)
        return f"{query.sql(len(due[0]))} {problem}" if problem else ""

    return check


def _of_first(spark: SparkSession, query: OrderedQuery, due: tuple[list[Row]]) -> Check:
    def check(tally: Counter[str]) -> str:
        try:
            found = as_dicts(spark.sql(query.sql))
        except QUERY_ERRORS as error:
            return f"{query.sql} fails: {str(error)[:1000]}"
        _count(spark, query.sql, tally)
        problem = query.problem(found, due[0])
        return f"{query.sql} {problem}" if problem else ""

    return check


def _answer(spark: SparkSession, query: OrderedQuery) -> tuple[list[Row]] | None:
    try:
        return (as_dicts(spark.sql(query.all_sql)),)
    except (*QUERY_ERRORS, ValueError):
        return None  # it fails on some row, or gives a time that Python does not have


def _count(spark: SparkSession, query: str, tally: Counter[str]) -> None:
    df = spark.sql(query)
    covered = any(limit.covered for limit in limit_pruning.report(df))
    plan = str(df._jdf.queryExecution().executedPlan().toString())
    tally["queries"] += 1
    tally["covered"] += covered
    tally["read by Comet"] += "CometNativeScan" in plan
    tally["read by Comet, from selected files"] += (
        "CometNativeScan" in plan and "SelectedFileIndex" in plan
    )
