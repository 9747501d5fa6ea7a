"""The rounds of a fuzz run: each draws a table, runs many queries over it, and checks all answers.

One reference of plain Spark, which has all rows that an answer may have, serves many queries that
differ in LIMIT and OFFSET. Every query is run with the extension.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import limit_pruning
from support.fuzz.counts import EXCUSED, NO_REFERENCE, PRUNED, QUERIES, TABLES, WRONG
from support.random_plans import batches, properties
from support.random_plans.places import IN_MEMORY, INNER, WINDOWS
from support.random_plans.tally import Tally as PlansTally
from support.random_tables import runs
from support.random_tables import settings as random_settings
from support.random_tables.first import FirstQuery, first_queries
from support.random_tables.groups import GroupQuery, group_queries
from support.random_tables.orders import ordered_queries
from support.random_tables.queries import random_queries, variations
from support.random_tables.settings import REFERENCE, Settings
from support.random_tables.table import RandomTable, random_tables
from support.runs import ENABLED, as_dicts, conf, in_threads

Report = Callable[[str], None]
Round = Callable[[SparkSession, st.DataObject, Counter[str], Report], None]
Row = dict[str, Any]
Q = TypeVar("Q", FirstQuery, GroupQuery)

PREDICATES, VARIATIONS = 40, 8
_LIMITS = [*range(9), 12, 20, 30, 50, 1000]


def rows(spark: SparkSession, data: st.DataObject, counts: Counter[str], report: Report) -> None:
    """LIMIT with and without a predicate: as many rows as are due, all of them matching."""
    table = data.draw(random_tables())
    settings = data.draw(random_settings.settings())
    drawn = data.draw(random_queries(table, PREDICATES))
    queries = variations(drawn, table.names, _each(settings), data.draw(_SEEDS))
    tally = runs.Tally()
    try:
        runs.write_and_check(spark, table, settings, queries, tally)
    except AssertionError as error:
        counts[WRONG] += 1
        report(str(error))
    counts[TABLES] += 1
    counts[QUERIES] += tally.counts["queries"]
    counts[PRUNED] += tally.counts["covered"]
    counts[EXCUSED] += tally.counts[runs.EXCUSED]
    counts[NO_REFERENCE] += tally.counts["queries left out, as the reference fails"]


def orders(spark: SparkSession, data: st.DataObject, counts: Counter[str], report: Report) -> None:
    """ORDER BY … LIMIT: the first rows in the order in which plain Spark sorts all of them."""
    table = data.draw(random_tables())
    settings = data.draw(random_settings.settings())
    queries = _limited(data.draw(ordered_queries(table, 24)), _each(settings), data.draw(_SEEDS))
    with _registered(spark, table):
        _check(spark, settings, table, queries, counts, report)


def first(spark: SparkSession, data: st.DataObject, counts: Counter[str], report: Report) -> None:
    """First rows in an order, those of each group, and extremes, over many row groups."""
    table = data.draw(random_tables()).with_row_groups(data.draw(st.integers(10, 60)))
    settings = data.draw(random_settings.settings())
    queries = _limited(data.draw(first_queries(table, 24)), _each(settings), data.draw(_SEEDS))
    with _registered(spark, table):
        _check(spark, settings, table, queries, counts, report)


def groups(spark: SparkSession, data: st.DataObject, counts: Counter[str], report: Report) -> None:
    """DISTINCT … LIMIT and GROUP BY … LIMIT: as many groups as are due, each one of all groups."""
    table = data.draw(random_tables(most_files=6, one_partitioned_in=1, has_keys=True))
    if data.draw(st.booleans()):
        table = table.with_row_groups(30)
    settings = data.draw(random_settings.settings())
    queries = _limited(data.draw(group_queries(table, 24)), _each(settings), data.draw(_SEEDS))
    with _registered(spark, table):
        _check(spark, settings, table, queries, counts, report)


def plans(spark: SparkSession, data: st.DataObject, counts: Counter[str], report: Report) -> None:
    """Many shapes of queries, in many places, some over a table that changes."""
    tally = PlansTally()
    properties.check_one(spark, IN_MEMORY, INNER, WINDOWS, tally, data)
    # A table that changes is queried three times, if plain Spark can query it before.
    unknown = tally.counts[batches.CANNOT_SAY] + 3 * tally.counts["error after a change: before"]
    counts[TABLES] += tally.counts["tables"] or sum(
        count for name, count in tally.counts.items() if _is_place(name)
    )
    counts[QUERIES] += (
        tally.counts["queries"] - unknown - tally.counts[batches.PLAIN_TOO] - len(tally.failures)
    )
    counts[PRUNED] += tally.counts["covered"]
    counts[EXCUSED] += tally.counts[batches.PLAIN_TOO]
    counts[NO_REFERENCE] += unknown
    counts[WRONG] += len(tally.failures)
    for failure in tally.failures:
        report(f"{failure.problem}\n{failure.text}")


# The share of the time that each kind of round gets.
KINDS: dict[str, tuple[Round, float]] = {
    "LIMIT": (rows, 0.65),
    "ORDER BY … LIMIT": (orders, 0.08),
    "first rows of many row groups": (first, 0.10),
    "DISTINCT and GROUP BY … LIMIT": (groups, 0.09),
    "other shapes, places and changes": (plans, 0.08),
}

_SEEDS = st.integers(0, 2**32 - 1)


def _is_place(name: str) -> bool:
    return name.startswith("changing place: ") and not name.endswith(", covered")


@contextmanager
def _registered(spark: SparkSession, table: RandomTable) -> Iterator[None]:
    with TemporaryDirectory() as folder:
        table.register(spark, Path(folder))
        yield


def _each(settings: Settings) -> int:
    """Return how many variations of a query to try: few where code is compiled for each."""
    interpreted = settings["spark.sql.codegen.factoryMode"] == "NO_CODEGEN"
    return VARIATIONS if interpreted and settings["spark.sql.codegen.wholeStage"] == "false" else 2


def _limited(queries: Sequence[Q], each: int, seed: int) -> list[Q]:
    """Return the queries, and each with some other limits and offsets, in a random order."""
    chance = random.Random(seed)
    different = dict.fromkeys(queries)
    for query in queries:
        for _ in range(each):
            limit, offset = chance.choice(_LIMITS), chance.choice([0, 0, 0, 1, 2, 5])
            different[query.varied(limit, offset)] = None
    found = list(different)
    chance.shuffle(found)
    return found


def _check(
    spark: SparkSession,
    settings: Settings,
    table: RandomTable,
    queries: list[Q],
    counts: Counter[str],
    report: Report,
) -> None:
    texts = list(dict.fromkeys(query.all_sql for query in queries))
    with conf(spark, settings | REFERENCE):
        found = in_threads(lambda sql: _rows(spark, sql), texts)
    references = dict(zip(texts, found, strict=True))
    counts[TABLES] += 1

    def run(query: Q) -> tuple[str, bool]:
        every = references[query.all_sql]
        assert every is not None
        try:
            df = spark.sql(query.sql)
            found = as_dicts(df)
            # Some rows are chosen when the query runs.
            pruned = any(limit.covered for limit in limit_pruning.report(df))
            return query.problem(found, every), pruned
        except (PySparkException, Py4JJavaError) as error:
            return f"fails: {str(error)[:1000]}", False

    known = [query for query in queries if references[query.all_sql] is not None]
    counts[NO_REFERENCE] += len(queries) - len(known)
    with conf(spark, settings):
        results = in_threads(run, known)
    for query, (problem, pruned) in zip(known, results, strict=True):
        if not problem:
            counts[QUERIES] += 1
            counts[PRUNED] += pruned
            continue
        with conf(spark, settings | {ENABLED: "false"}):
            is_excused = bool(run(query)[0])
        counts[EXCUSED if is_excused else WRONG] += 1
        if not is_excused:
            report(f"{problem}\n{query.sql}\n{settings}\n{table}")


def _rows(spark: SparkSession, sql: str) -> list[Row] | None:
    try:
        return as_dicts(spark.sql(sql))
    except (PySparkException, Py4JJavaError, ValueError):
        return None  # it fails on some row, or gives a time that Python does not have
