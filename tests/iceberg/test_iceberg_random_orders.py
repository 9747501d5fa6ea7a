"""Whatever happened to an Iceberg table: first rows, MIN, MAX and groups of plain Spark."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import strategies as st
from pyspark.sql import Row, SparkSession

import limit_pruning
from support import random_profiles
from support.iceberg import random_groups, random_min_max, random_orders, random_tables
from support.iceberg.random_orders import OrderedQuery
from support.iceberg.tables import by_metadata_and_by_rows, is_pruned, outcome_of
from support.runs import IN_ONE_PARTITION, INTERPRETED, REFERENCE, conf, in_threads
from support.sessions import OURS_FIRST

pytestmark = [
    pytest.mark.random,
    pytest.mark.slow,
    OURS_FIRST,
]

TABLES, QUERIES, MIN_MAX, GROUPS = 6, 16, 12, 6


def test_random_orders_over_iceberg(spark: SparkSession) -> None:
    tally: Counter[str] = Counter()

    def check(data: st.DataObject) -> None:
        with conf(spark, INTERPRETED):
            history = random_tables.create(spark, data.draw)
            random_orders.add_clustered(spark, history, data.draw)
        queries = [random_orders.query(history, data.draw) for _ in range(QUERIES)]
        queries += random_orders.probes(history)
        queries += random_orders.at_ends_of_files(spark, history)
        distinct = list(dict.fromkeys(query.without_limit for query in queries))
        with conf(spark, {**REFERENCE, **IN_ONE_PARTITION}):
            every = in_threads(lambda sql: random_orders.rows(spark, sql), distinct)
        references = dict(zip(distinct, every, strict=True))
        pairs = [(query, references[query.without_limit]) for query in queries]
        found = by_metadata_and_by_rows(spark, lambda pair: _problem(spark, *pair, tally), pairs)
        made = "\n".join(history.statements)
        for (query, _), problem in zip(pairs, found, strict=True):
            where = f"at query {tally['queries']} or before"
            assert not problem, f"{where}: {problem}: {query.sql}\n{made}"
        values = [random_min_max.query(history, data.draw) for _ in range(MIN_MAX)]
        _check_min_max(spark, [*values, *random_min_max.probes(history)], made, tally)
        groups = [random_groups.query(history, data.draw) for _ in range(GROUPS)]
        _check_groups(spark, [*groups, *random_groups.probes(history)], made, tally)
        spark.sql(f"DROP TABLE {history.table} PURGE")

    random_profiles.run(TABLES, check)
    print(sorted(tally.items()))
    assert tally["pruned"] >= 0.15 * tally["queries"], "else the property says nothing"
    assert tally["MIN or MAX pruned"] >= 0.15 * tally["MIN or MAX"], (
        "else the property says nothing"
    )
    assert tally["groups pruned"] >= 0.15 * tally["groups"], "else the property says nothing"
    assert tally["groups by rows"] >= 5, "else the property says nothing"


def _check_groups(
    spark: SparkSession, queries: list[tuple[str, float]], made: str, tally: Counter[str]
) -> None:
    def rows(sql: str) -> list[str]:
        return list(map(repr, spark.sql(sql).collect()))

    distinct = list(dict.fromkeys(sql for sql, _ in queries))
    with conf(spark, {**REFERENCE, **IN_ONE_PARTITION}):
        every = dict(zip(distinct, in_threads(rows, distinct), strict=True))
    limits = [max(1, int(share * len(every[sql]))) for sql, share in queries]
    limited = [f"{sql} LIMIT {n}" for (sql, _), n in zip(queries, limits, strict=True)]

    def run(sql: str) -> tuple[list[str], list[str]]:
        df = spark.sql(sql)
        return list(map(repr, df.collect())), outcome_of(df)

    with conf(spark, IN_ONE_PARTITION):
        found = by_metadata_and_by_rows(spark, run, limited)
    for (sql, _), limit, (groups, outcomes) in zip(queries, limits, found, strict=True):
        tally.update(["groups", *(f"groups {outcome}" for outcome in outcomes)])
        where = f"at query {tally['queries'] + tally['MIN or MAX'] + tally['groups']} or before"
        problem = random_groups.problem(groups, every[sql], limit)
        assert not problem, f"{where}: {problem}: {sql} LIMIT {limit}\n{made}"


def _check_min_max(spark: SparkSession, queries: list[str], made: str, tally: Counter[str]) -> None:
    with conf(spark, random_min_max.READS_FILES):
        with conf(spark, REFERENCE):
            wanted = in_threads(lambda sql: repr(spark.sql(sql).collect()), queries)
        with conf(spark, INTERPRETED):
            frames = [spark.sql(sql) for sql in queries]
            found = in_threads(lambda df: repr(df.collect()), frames)
    for sql, df, values, right in zip(queries, frames, found, wanted, strict=True):
        tally.update(["MIN or MAX", *(["MIN or MAX pruned"] if is_pruned(df) else [])])
        where = f"at query {tally['queries'] + tally['MIN or MAX']} or before"
        assert values == right, f"{where}: {values}, not {right}: {sql}\n{made}"


def _problem(
    spark: SparkSession, query: OrderedQuery, every: list[Row], tally: Counter[str]
) -> str:
    df = spark.sql(query.sql)
    found = list(df.collect())
    outcomes = [each.reason.code if each.reason else "covered" for each in limit_pruning.report(df)]
    tally.update(["queries", *outcomes, *outcome_of(df)])
    return query.problem(found, every)
