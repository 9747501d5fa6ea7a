"""A search by rows begins with likely row groups, and with as much as queries before it needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.runs import BY_ROWS, conf
from support.scan_tables import physical

ROWS, FILES = 20_000, 20
EACH = ROWS // FILES


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> str:
    """Write a file for each partition. The first one is the largest, so a scan begins with it."""
    rows = spark.range(0, ROWS, 1, FILES).selectExpr(
        "id",
        "id * 7919 % 1009 AS v",  # metadata say nothing about it
        *(
            f"concat('{c} of ', id, IF(id < {EACH}, char(97 + id % 7), '')) AS c{c}"
            for c in range(4)
        ),
    )
    rows.write.option("parquet.page.row.count.limit", "100").option(
        "parquet.enable.dictionary", "false"
    ).parquet(str(tmp_path / "t"))
    return f"parquet.`{tmp_path / 't'}`"


@pytest.fixture(autouse=True)
def settings(spark: SparkSession) -> Iterator[None]:
    """Search by rows wherever it is possible, file by file."""
    with conf(spark, BY_ROWS):
        yield


def jobs(df: DataFrame) -> int:
    """Return how many jobs found the rows of a query that has run."""
    (found,) = set(re.findall(r"ReadFirst: \d+ bytes in (\d+) jobs", physical(df)))
    return int(found)


def asked(spark: SparkSession, table: str, predicate: str, limit: int) -> tuple[set[int], int]:
    """Run a query whose rows are found by jobs; return the rows and the number of these jobs."""
    df = spark.sql(f"SELECT * FROM {table} WHERE {predicate} LIMIT {limit}")
    rows = df.collect()
    ids = {row.id for row in rows}
    assert len(ids) == len(rows)
    return ids, jobs(df)


def matching(value: int, divisor: int) -> set[int]:
    """Return the rows with this remainder of ``v``."""
    return {i for i in range(ROWS) if i * 7919 % 1009 % divisor == value}


def test_later_searches_begin_with_as_much_as_they_need(spark: SparkSession, table: str) -> None:
    def ask(value: int, divisor: int, limit: int) -> int:
        ids, count = asked(spark, table, f"v % {divisor} = {value}", limit)
        allowed = matching(value, divisor)
        assert ids <= allowed
        assert len(ids) == min(limit, len(allowed))
        return count

    # Twenty rows of the table match: one file, then four, and then the rest.
    assert [ask(value, 1009, 40) for value in range(5, 9)] == [3, 3, 1, 1]
    # More rows match, so the search reads too much, once.
    assert [ask(value, 5, 20) for value in (1, 2)] == [1, 1]
    df = spark.sql(f"SELECT * FROM {table} WHERE v % 5 = 3 LIMIT 20")
    assert len(df.collect()) == 20
    report = limit_pruning.report(df).limits[0]
    assert report.bytes.read_first is not None
    size = sum(file.stat().st_size for file in Path(table[9:-1]).glob("*.parquet"))
    assert report.bytes.read_first < size / FILES, "one file"


def test_what_several_tasks_find_together_is_learned_exactly(
    spark: SparkSession, table: str
) -> None:
    """Each file has about five of these rows, so a search needs three or four files, each time."""

    def read(value: int) -> int:
        df = spark.sql(f"SELECT * FROM {table} WHERE v % 200 = {value} LIMIT 11")
        assert len(df.collect()) == 11
        first = limit_pruning.report(df).limits[0].bytes.read_first
        assert first
        return first

    reads = [read(value) for value in range(14)]
    assert max(reads[7:]) <= max(reads[:7])


def test_a_changed_table_is_searched_anew(spark: SparkSession, table: str) -> None:
    for value in (5, 6, 7):
        found = asked(spark, table, f"v % 1009 = {value}", 40)
    assert found[1] == 1
    first = min(Path(table[9:-1]).glob("*.parquet"))
    first.unlink()
    spark.catalog.refreshByPath(str(first.parent))
    ids, count = asked(spark, table, "v % 1009 = 8", 40)
    assert ids == {i for i in matching(8, 1009) if i >= EACH}
    assert count == 3


def test_files_without_a_match_are_searched_last(spark: SparkSession, table: str) -> None:
    # Metadata exclude the first file.
    ids, count = asked(spark, table, f"id >= {EACH} AND v % 100 = 3", 5)
    assert len(ids) == 5
    assert ids <= {i for i in matching(3, 100) if i >= EACH}
    assert count == 1


def test_rows_that_metadata_prove_are_searched_first(spark: SparkSession, table: str) -> None:
    # They are in the last of the files that planning inspects, and too few.
    proved = set(range(3 * EACH, 4 * EACH))
    predicate = f"(id >= {3 * EACH} AND id < {4 * EACH}) OR v % 100 = 3"
    with conf(spark, {"spark.limitPruning.planning.maxFiles": "4"}):
        ids, count = asked(spark, table, predicate, EACH + 5)
    assert proved <= ids <= proved | matching(3, 100)
    assert len(ids) == EACH + 5
    assert count == 2


QUERIES: dict[str, Callable[[SparkSession, str], tuple[list[int], DataFrame]]] = {
    "toPandas": lambda spark, sql: fetched(spark.sql(sql), by_pandas=True),
    "below": lambda spark, sql: fetched(spark.sql(f"SELECT id FROM ({sql}) WHERE id >= 0")),
    "collect": lambda spark, sql: fetched(spark.sql(sql)),
}


def fetched(df: DataFrame, by_pandas: bool = False) -> tuple[list[int], DataFrame]:
    """Return the ids of the rows, and the query."""
    if not by_pandas:
        return [row.id for row in df.collect()], df
    frame: Any = df.toPandas()
    return frame["id"].tolist(), df


@pytest.mark.parametrize("min_bytes", ["0", "1"])
@pytest.mark.parametrize("limit", [EACH + EACH // 4, 11 * EACH])
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_without_a_predicate(
    spark: SparkSession,
    table: str,
    query: Callable[[SparkSession, str], tuple[list[int], DataFrame]],
    limit: int,
    min_bytes: str,
) -> None:
    # Planning may not read enough footers.
    changed = {
        "spark.limitPruning.planning.maxFiles": "1",
        "spark.limitPruning.rows.minBytes": min_bytes,
    }
    with conf(spark, changed):
        ids, df = query(spark, f"SELECT * FROM {table} LIMIT {limit}")
    assert len(ids) == len(set(ids)) == limit
    is_large = limit > ROWS / 10 and min_bytes != "0"
    if is_large or (query is QUERIES["collect"] and limit < 10_000):  # one task may be enough
        assert "RowsVerified" not in physical(df)
    else:
        report = limit_pruning.report(df).limits[0]
        assert report.rows.verified == report.rows.read == limit
        assert report.files.scanned == -(-limit // EACH)
        assert jobs(df) <= 3


@pytest.mark.parametrize(("limit", "by_rows"), [(100_000, True), (100_001, False)])
def test_the_largest_limit(spark: SparkSession, tmp_path: Path, limit: int, by_rows: bool) -> None:
    rows = spark.range(0, 300_000, 1, 6).selectExpr("id", "id * 7919 % 100003 AS v", "id AS w")
    rows.write.parquet(str(tmp_path / "t"))
    sql = f"SELECT id, w FROM parquet.`{tmp_path / 't'}` WHERE v % 2 = 1 LIMIT {limit}"
    df = spark.sql(f"SELECT count(*), count(DISTINCT id), sum(w - id) FROM ({sql})")
    assert tuple(df.collect()[0]) == (limit, limit, 0)
    assert ("RowsVerified: 100000" in physical(df)) == by_rows


@pytest.mark.parametrize(
    ("divisor", "limit", "by_rows"),
    [
        pytest.param(2, 20_000, False, id="one task is enough"),
        pytest.param(2, 30_000, False, id="one more job is enough"),
        pytest.param(10, 20_000, True, id="several jobs would follow"),
    ],
)
def test_many_rows_at_the_root(
    spark: SparkSession, tmp_path: Path, divisor: int, limit: int, by_rows: bool
) -> None:
    rows = spark.range(0, 300_000, 1, 6).selectExpr(
        "id", "id * 7919 % 100003 AS v", *(f"id + {c} AS c{c}" for c in range(10))
    )
    rows.write.option("parquet.page.row.count.limit", "1000").option(
        "parquet.enable.dictionary", "false"
    ).parquet(str(tmp_path / "t"))
    sql = f"SELECT * FROM parquet.`{tmp_path / 't'}` WHERE v % {divisor} = 1 LIMIT {limit}"
    with conf(spark, {"spark.limitPruning.rows.minBytes": "1"}):
        df = spark.sql(sql)
        found = {row.id: row for row in df.collect()}
    assert len(found) == limit
    assert all(i * 7919 % 100003 % divisor == 1 for i in found)
    assert all(row.c9 == i + 9 for i, row in found.items())
    assert ("RowsVerified" in physical(df)) == by_rows
