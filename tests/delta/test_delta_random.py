"""Whatever happened to a Delta table: the rows that Delta gives without LIMIT and without us."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import strategies as st
from pyspark.sql import Row, SparkSession

import limit_pruning
from support import random_profiles
from support.delta import random_changes, random_queries
from support.delta.history import History
from support.delta.random_queries import Query
from support.random_histories import Draw
from support.runs import IN_ONE_PARTITION, INTERPRETED, REFERENCE, conf, in_threads
from support.sessions import OURS_FIRST

pytestmark = [
    pytest.mark.random,
    pytest.mark.slow,
    OURS_FIRST,
]

TABLES, TABLES_OF_DELTA_RS, ANCIENT_TABLES, QUERIES = 6, 3, 3, 20
REBASE_MODE = "spark.sql.parquet.datetimeRebaseModeInRead"
# With this setting, planning reads the log before the footers, as it does for many files.
SETTINGS = {"spark.limitPruning.planning.firstFiles": "2"}
# Columns are read first to find rows, however few bytes this may save.
BY_ROWS = {"spark.limitPruning.rows.minBytes": "0"}


def test_random_delta_tables(spark: SparkSession) -> None:
    tally = _tally(spark, TABLES, random_changes.create)
    assert tally["pruned"] >= 0.2 * tally["queries"], "else the property says nothing"
    few = "else the property says nothing"
    assert tally["read by Delta, with deletion vectors"] >= 3, few
    assert tally["by rows"] >= 0.05 * tally["queries"], few
    assert tally["joined, by rows"] >= 3, few
    assert tally["groups"] >= 3, few


def test_random_tables_of_delta_rs(spark: SparkSession) -> None:
    pytest.importorskip("deltalake")
    from support.delta import random_delta_rs

    tally = _tally(spark, TABLES_OF_DELTA_RS, random_delta_rs.create)
    assert tally["pruned"] >= 0.2 * tally["queries"], "else the property says nothing"


def test_random_ancient_dates_of_delta_rs(spark: SparkSession) -> None:
    pytest.importorskip("deltalake")
    from support.delta import random_delta_rs

    create = random_delta_rs.create_ancient
    tally = _tally(spark, ANCIENT_TABLES, create, ("CORRECTED", "LEGACY", "LEGACY"))
    assert tally["pruned"] >= 0.2 * tally["queries"], "else the property says nothing"


def test_random_row_groups_with_deleted_rows(spark: SparkSession) -> None:
    """Row groups have one value each. A value whose rows are all deleted is no group."""
    pytest.importorskip("deltalake")
    from support.delta import random_row_groups

    tally: Counter[str] = Counter()

    def check(data: st.DataObject) -> None:
        with TemporaryDirectory() as folder:
            with conf(spark, INTERPRETED):
                table = random_row_groups.create(spark, Path(folder) / "t", data.draw)
            left = table.left
            for limit in range(1, len(left) + 2):
                df = spark.sql(f"SELECT DISTINCT v FROM {table.name} LIMIT {limit}")
                found = [row.v for row in df.collect()]
                assert len(found) == len(set(found)) == min(limit, len(left)), (limit, table)
                assert set(found) <= left, (limit, table)
                tally["queries"] += 1
                tally["covered"] += limit_pruning.report(df).only.covered

    random_profiles.run(TABLES, check)
    print(sorted(tally.items()))
    assert tally["covered"] >= 0.2 * tally["queries"], "else the property says nothing"


def _tally(
    spark: SparkSession,
    tables: int,
    create: Callable[[SparkSession, Path, Draw], History],
    rebase_modes: Sequence[str] = (),
) -> Counter[str]:
    """Hold queries over random tables to those of Delta alone, and count what happened."""
    tally: Counter[str] = Counter()

    def check(data: st.DataObject) -> None:
        with TemporaryDirectory() as folder:
            with conf(spark, INTERPRETED):
                history = create(spark, Path(folder) / "t", data.draw)
            queries = [random_queries.query(history, data.draw) for _ in range(QUERIES)]
            rebase = {REBASE_MODE: data.draw(st.sampled_from(rebase_modes))} if rebase_modes else {}
            with conf(spark, {**REFERENCE, **IN_ONE_PARTITION, **rebase}):
                every = in_threads(lambda query: spark.sql(query.every_row).collect(), queries)
            pairs = list(zip(queries, every, strict=True))
            first = tally["queries"] + 1
            found = []
            for settings, some in ((SETTINGS, pairs), (SETTINGS | BY_ROWS, pairs[::3])):
                with conf(spark, {**settings, **rebase}):
                    found += in_threads(lambda pair: _problem(spark, *pair, tally), some)
        asked = queries + queries[::3]
        for number, (query, problem) in enumerate(zip(asked, found, strict=True), first):
            made = "\n".join(history.statements)
            assert not problem, f"at query {number}: {problem}: {query.sql}, {rebase}\n{made}"

    random_profiles.run(tables, check)
    print(sorted(tally.items()))
    return tally


def _problem(
    spark: SparkSession,
    query: Query,
    every: list[Row],
    tally: Counter[str],
) -> str | None:
    df = spark.sql(query.sql)
    rows = df.collect()
    allowed, found = Counter(map(repr, every)), Counter(map(repr, rows))
    for report in limit_pruning.report(df):
        tally["queries"] += 1
        tally["pruned"] += report.files.scanned is not None
        plan = str(df._jdf.queryExecution().executedPlan().toString())
        tally["read by Delta, with deletion vectors"] += "SelectedDeltaIndex" in plan
        tally["by rows"] += "RowsVerified" in plan
        tally["groups"] += query.is_of_groups and report.covered
        tally["joined, by rows"] += " JOIN " in query.rows and "RowsVerified" in plan
    if found - allowed:
        return f"rows that are not in the table, or do not match: {list(found - allowed)[:3]}"
    if found.total() != min(query.limit, allowed.total()):
        return f"{found.total()} rows of {allowed.total()}"
    if query.key and _keys(query, rows) != _keys(query, every[: query.limit]):
        return "other rows come first"
    return None


def _keys(query: Query, rows: list[Row]) -> list[str]:
    """Return the values of the key, which ties do not change."""
    return [repr(row[query.column]) for row in rows]
