"""Random queries over real files that nobody here wrote, some of them broken on purpose.

The files are those of apache/parquet-testing and of Spark's own tests, in the folder
``shared/corpus`` beside the repository. Without it the tests here are skipped, and say so.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

import limit_pruning
from support.paths import ROOT
from support.predicates import Compare, In, IsNull, Not, Predicate, StartsWith, both, either, sql
from support.runs import ENABLED, ROW_BY_ROW, conf

CORPUS = ROOT.parent / "shared" / "corpus"
FILES = sorted(file for file in CORPUS.rglob("*") if ".parquet" in file.name)
COMPARABLE = (bool, int, float, Decimal, date, datetime, str, bytearray)
OPERATORS = ("=", "<>", "<", "<=", ">", ">=", "<=>")
QUERIES = 1  # with a predicate, to each file
NO_PRUNING = {ENABLED: "false"}
# Python's own dates end at the year 9999.
ERRORS = (PySparkException, Py4JJavaError, ValueError, OverflowError)


@pytest.fixture(scope="module")
def every_row(spark: SparkSession) -> dict[Path, list[Row]]:
    """The rows of each file that Spark can read to its end."""
    found = {}
    for file in FILES:
        with suppress(*ERRORS), conf(spark, ROW_BY_ROW):
            found[file] = spark.read.parquet(str(file)).collect()
    return found


@pytest.mark.random
@pytest.mark.slow
@pytest.mark.skipif(
    not FILES, reason=f"no files of apache/parquet-testing and of Spark's tests in {CORPUS}"
)
@pytest.mark.parametrize("part", range(4))
def test_line_51_random_queries_over_files_of_all_writers(
    spark: SparkSession, every_row: dict[Path, list[Row]], part: int
) -> None:
    tally: Counter[str] = Counter()
    for file in FILES[part::4]:
        dice = random.Random(file.name)
        try:
            spark.read.parquet(str(file)).createOrReplaceTempView("corpus")
        except ERRORS:
            continue
        rows = every_row.get(file, [])
        predicates = [
            None,
            *(_predicate(dice, [row.asDict() for row in rows]) for _ in range(QUERIES)),
        ]
        for predicate in predicates:
            limit = dice.choice([1, 2, max(1, len(rows) // 2), len(rows) + 1])
            where = "" if predicate is None else f" WHERE {sql(predicate)}"
            known = every_row.get(file) if predicate is None else None
            _hold(spark, f"SELECT * FROM corpus{where}", limit, file.name, tally, known)
    print(tally)
    assert tally["covered"] > 0
    assert tally["compared"] > tally["queries"] / 2, "else most files say nothing"


@pytest.mark.random
@pytest.mark.slow
@pytest.mark.skipif(
    not FILES, reason=f"no files of apache/parquet-testing and of Spark's tests in {CORPUS}"
)
def test_line_51_first_rows_of_files_of_all_writers(
    spark: SparkSession, every_row: dict[Path, list[Row]]
) -> None:
    tally: Counter[str] = Counter()
    for file, found in every_row.items():
        dice = random.Random(file.name)
        rows = [row.asDict() for row in found]
        columns = [name for name in (rows[0] if rows else {}) if "`" not in name]
        keys = [name for name in columns if _comparable(rows, name)]
        if not keys:
            continue
        order = f"`{dice.choice(keys)}` {dice.choice(['ASC', 'DESC'])}"
        nulls = dice.choice(["NULLS FIRST", "NULLS LAST"])
        limit = dice.choice([1, 2, max(1, len(rows) // 2)])
        spark.read.parquet(str(file)).createOrReplaceTempView("corpus")
        query = f"SELECT * FROM corpus ORDER BY {order} {nulls}"
        _hold_first(spark, query, order.split("` ")[0][1:], limit, file.name, tally)
    print(tally)
    assert tally["pruned"] > 0
    assert tally["compared"] > tally["queries"] / 2, "else most files say nothing"


def _hold_first(
    spark: SparkSession, query: str, key: str, limit: int, file: str, tally: Counter[str]
) -> None:
    """Hold the keys of the limited query to the first keys of the full one."""
    limited = spark.sql(f"{query} LIMIT {limit}")
    tally["queries"] += 1
    tally["pruned"] += any(report.covered for report in limit_pruning.report(limited))
    on = _keys(limited, key)
    with conf(spark, NO_PRUNING):
        off = _keys(spark.sql(f"{query} LIMIT {limit}"), key)
    described = f"{file}: {query} LIMIT {limit}"
    if isinstance(on, str) or isinstance(off, str):
        assert on == off, described
        return
    with conf(spark, ROW_BY_ROW):
        everything = _keys(spark.sql(query.replace("*", f"`{key}`", 1)), key)
    assert on == everything[:limit], described
    tally["compared"] += 1


def _keys(df: DataFrame, key: str) -> list[str] | str:
    """Return the keys in their order, or the kind of error."""
    try:
        return [repr(row[key]) for row in df.collect()]
    except ERRORS as error:
        condition = re.search(r"\[([A-Z][A-Z0-9_.]+)\]", str(error))
        return condition[1] if condition else type(error).__name__


def _hold(
    spark: SparkSession,
    query: str,
    limit: int,
    file: str,
    tally: Counter[str],
    known: list[Row] | None,
) -> None:
    """Hold the limited query to the full one; count what was covered, and compared with rows.

    It gives rows of the full one, as many as there are (or as Spark alone finds, where the query
    is left to Spark), or the same error as Spark alone. The rows of the full one may be known.
    """
    limited = f"{query} LIMIT {limit}"
    pruned = spark.sql(limited)
    covered = any(report.covered for report in limit_pruning.report(pruned))
    on = _outcome(pruned)
    off: Counter[str] | str | None = None  # a covered limit is held to the full query alone
    if isinstance(on, str) or not covered:
        with conf(spark, NO_PRUNING):
            off = _outcome(spark.sql(limited))
    described = f"{file}: {limited}"
    tally["queries"] += 1
    tally["covered"] += covered
    if isinstance(on, str):
        # A row group that has fewer rows than its footer says is an error where it was counted on.
        assert on == off or (covered and on == f"FAILED_READ_FILE.NO_HINT {file}"), described
        return
    if isinstance(off, str):
        assert covered, f"{described}: {off}"
    if known is None:
        with conf(spark, ROW_BY_ROW):
            everything = _outcome(spark.sql(query))
    else:
        everything = Counter(map(repr, known))
    if isinstance(everything, str):  # a row that was not asked for is broken
        return
    assert not on - everything, f"{described}: rows that are not there"
    wanted = {min(limit, everything.total())}
    if isinstance(off, Counter):
        wanted.add(off.total())  # Spark alone may lose rows to metadata that lies
    assert on.total() in wanted, f"{described}: {on.total()} rows instead of {wanted}"
    tally["compared"] += 1


def _outcome(df: DataFrame) -> Counter[str] | str:
    """Return the rows as a bag, or the kind of error and the file that it names."""
    try:
        return Counter(repr(row) for row in df.collect())
    except ERRORS as error:
        condition = re.search(r"\[([A-Z][A-Z0-9_.]+)\]", str(error))
        named = re.search(r"reading file \S*/([^/\s]+?)\.? ", str(error) + " ")
        kind = condition[1] if condition else type(error).__name__
        return f"{kind} {named[1]}" if named else kind


def _predicate(dice: random.Random, rows: list[dict[str, Any]]) -> Predicate | None:
    """Return a predicate about values that the file has, or none where it has none to compare."""
    known = {
        name: sorted({_plain(row[name]) for row in rows if isinstance(row[name], COMPARABLE)})
        for name in (rows[0] if rows else {})
        if "`" not in name and _comparable(rows, name)
    }
    columns = [name for name, values in known.items() if values]
    if not columns:
        return None

    def one() -> Predicate:
        column = dice.choice(columns)
        value = dice.choice([known[column][0], known[column][-1], dice.choice(known[column])])
        kind = dice.randrange(10)
        if kind == 0:
            return IsNull(column)
        if kind == 1:
            return In(column, (value, dice.choice(known[column])))
        if kind == 2 and isinstance(value, str) and value.isalnum():
            return StartsWith(column, value[:2])
        return Compare(column, dice.choice(OPERATORS), value)

    shape = dice.randrange(5)
    if shape == 0:
        return Not(one())
    if shape == 1:
        return both(one(), one())
    return either(one(), Not(one())) if shape == 2 else one()


def _comparable(rows: list[dict[str, Any]], name: str) -> bool:
    kinds = {type(row[name]) for row in rows if row[name] is not None}
    texts = [row[name] for row in rows if isinstance(row[name], str)]
    return (
        len(kinds) == 1
        and issubclass(next(iter(kinds)), COMPARABLE)
        and not any(set(text) & set("'\\\\") or not text.isprintable() for text in texts)
        and not any(row[name] != row[name] for row in rows)
    )


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value
