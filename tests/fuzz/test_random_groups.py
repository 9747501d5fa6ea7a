"""Whatever the table, the keys and the limit: as many groups as are due, and right ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import limit_pruning
from support import random_profiles
from support.random_tables import settings as random_settings
from support.random_tables.groups import GroupQuery, group_queries
from support.random_tables.settings import REFERENCE
from support.random_tables.table import random_tables
from support.runs import ENABLED, as_dicts, conf, in_threads
from support.scan_tables import SEVERAL_JOBS, physical

pytestmark = [pytest.mark.random, pytest.mark.slow, pytest.mark.usefixtures("quiet")]

TABLES, QUERIES_PER_TABLE = 12, 36
EXCUSED = "wrong in plain Spark, too"
FAILS = "fails in plain Spark, too"


def test_random_groups(spark: SparkSession) -> None:
    tally: Counter[str] = Counter()

    def check(data: st.DataObject) -> None:
        table = data.draw(random_tables(most_files=6, one_partitioned_in=1, has_keys=True))
        settings = data.draw(random_settings.settings())
        queries = data.draw(group_queries(table, QUERIES_PER_TABLE))
        with TemporaryDirectory() as folder:
            table.register(spark, Path(folder))
            with conf(spark, settings | REFERENCE):
                groups = in_threads(lambda query: _all_groups(spark, query), queries)
            with conf(spark, settings):
                first = tally["queries"] + 1
                pairs = [(q, g) for q, g in zip(queries, groups, strict=True) if g is not None]
                found = in_threads(lambda pair: _problem(spark, *pair, tally), pairs)
            with conf(spark, settings | {ENABLED: "false"}):
                for number, ((query, all_), problem) in enumerate(
                    zip(pairs, found, strict=True), first
                ):
                    plain = _problem(spark, query, all_, Counter()) if problem else ""
                    if plain:
                        tally[FAILS if plain.startswith("fails") else EXCUSED] += 1
                        continue
                    at = f"at query {number}"
                    assert not problem, f"{at}: {problem}: {query.sql}\n{settings}\n{table}"

    random_profiles.run(TABLES, check)
    print(sorted(tally.items()))
    assert tally["queries"] >= 200
    assert tally[EXCUSED] < 0.01 * tally["queries"]
    assert tally["covered, keys only"] >= 0.2 * tally["keys only"], "else the property says nothing"
    assert tally["covered, whole groups"] >= 5, "else the property says nothing"
    assert tally["by rows"] >= 40, "else the property says nothing"
    assert tally["by rows, in several jobs"] >= 10, "else the property says nothing"


def _all_groups(spark: SparkSession, query: GroupQuery) -> list[dict[str, Any]] | None:
    try:
        return as_dicts(spark.sql(query.all_sql))
    except (PySparkException, Py4JJavaError, ValueError):
        return None  # it fails on some row, or gives a time that Python does not have


def _problem(
    spark: SparkSession, query: GroupQuery, groups: list[dict[str, Any]], tally: Counter[str]
) -> str:
    df = spark.sql(query.sql)
    report = limit_pruning.report(df)
    try:
        found = as_dicts(df)
    except (PySparkException, Py4JJavaError) as error:
        return f"fails: {str(error)[:1000]}"
    tally["queries"] += 1
    tally[query.what] += 1
    tally[f"covered, {query.what}"] += any(limit.covered for limit in report)
    for limit in report:
        if limit.reason:
            tally[f"not pruned, {limit.reason.code}"] += 1
    plan = physical(df)
    tally["by rows"] += "RowsVerified" in plan
    tally["by rows, in several jobs"] += bool(SEVERAL_JOBS.search(plan))
    return query.problem(found, groups)
