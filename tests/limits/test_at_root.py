"""A LIMIT without a predicate at the root of a query is decided by the action that runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.runs import ENABLED, conf
from support.scan_tables import physical
from support.sparks import FILE_IS_MISSING, needs_spark

AT_ROOT = "spark.limitPruning.planning.atRoot"
ARROW = "spark.sql.execution.arrow.pyspark.enabled"
FILES = 6
ROWS = 5000


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Six files of one row group of more than 1 MB each, with a page index."""
    folder = tmp_path_factory.mktemp("at_root") / "t"
    folder.mkdir()
    for part in range(FILES):
        ids = range(part * ROWS, (part + 1) * ROWS)
        pq.write_table(
            pa.table({"id": list(ids), "text": [str(number).zfill(400) for number in ids]}),
            folder / f"{part}.parquet",
            compression="none",
            use_dictionary=False,
            data_page_size=16 * 1024,
            write_batch_size=32,
            write_page_index=True,
        )
    spark.read.parquet(str(folder)).createOrReplaceTempView("at_root")
    return "at_root"


@pytest.fixture(autouse=True)
def by_default(spark: SparkSession) -> Iterator[None]:
    """The default, whatever the settings of the shared session are."""
    with conf(spark, {AT_ROOT: "false", ARROW: "true"}):
        yield


def reported(df: DataFrame) -> tuple[LimitReport, str | None]:
    """Return the report on the only LIMIT, and the code of its reason."""
    limit = limit_pruning.report(df).only
    return limit, limit.reason.code if limit.reason else None


def pandas_ids(df: DataFrame) -> list[int]:
    """Return the ids by way of pandas."""
    frame: Any = df.toPandas()
    return [int(value) for value in frame["id"]]


TAKING: dict[str, Callable[[DataFrame], list[int]]] = {
    "collect": lambda df: [row.id for row in df.collect()],
}
SEARCHING: dict[str, Callable[[DataFrame], list[int]]] = {
    "to_pandas": pandas_ids,
    "to_local_iterator": lambda df: [row.id for row in df.toLocalIterator()],
}


@pytest.mark.parametrize("limit", [1, 100, ROWS, ROWS + 1, FILES * ROWS, FILES * ROWS + 1])
@pytest.mark.parametrize("action", TAKING.values(), ids=TAKING.keys())
def test_rows_that_are_taken(
    spark: SparkSession, table: str, action: Callable[[DataFrame], list[int]], limit: int
) -> None:
    df = spark.sql(f"SELECT id, text FROM {table} LIMIT {limit}")
    ids = action(df)
    assert len(ids) == len(set(ids)) == min(limit, FILES * ROWS)
    assert set(ids) <= set(range(FILES * ROWS))
    assert reported(df)[1] == ("at-root" if limit <= 10_000 else None)


@pytest.mark.parametrize("action", SEARCHING.values(), ids=SEARCHING.keys())
def test_other_actions_search(
    spark: SparkSession, table: str, action: Callable[[DataFrame], list[int]]
) -> None:
    df = spark.sql(f"SELECT id, text FROM {table} LIMIT 100")
    before, code = reported(df)
    assert (code, before.rows.read, before.files.inspected) == ("at-root", None, None)
    ids = action(df)
    assert len(set(ids)) == 100
    limit, code = reported(df)
    assert (code, limit.covered, limit.row_groups.scanned) == (None, True, 1)


def test_a_take_reads_the_first_pages_of_one_file_and_no_footer_before(
    spark: SparkSession, table: str
) -> None:
    df = spark.sql(f"SELECT id, text FROM {table} LIMIT 20")
    assert "Choice: when an action runs the query" in physical(df)
    assert [row.text for row in df.collect()] == [str(row.id).zfill(400) for row in df.collect()]
    limit, code = reported(df)
    assert code == "at-root"
    assert (limit.files.total, limit.files.inspected, limit.row_groups.read) == (FILES, 0, 1)
    assert limit.rows.read == 20
    assert limit.bytes.read is not None
    assert limit.bytes.read < 100_000 < 400 * ROWS
    assert "Choice: the first rows of the files" in physical(df)


@needs_spark("place for reasons in EXPLAIN")
def test_explain_says_who_decides(spark: SparkSession, table: str) -> None:
    text = spark.sql(f"EXPLAIN SELECT * FROM {table} LIMIT 20").collect()[0][0]
    assert "TakeFirstRows 20" in text
    assert "LIMIT 20: not decided yet: the LIMIT is at the root" in text
    with conf(spark, {AT_ROOT: "true"}):
        text = spark.sql(f"EXPLAIN SELECT * FROM {table} LIMIT 20").collect()[0][0]
    assert "LimitPrunedScan" in text
    assert "TakeFirstRows" not in text


def test_a_cached_limit_and_actions_on_it(spark: SparkSession, table: str) -> None:
    df = spark.table(table).limit(30).cache()
    try:
        assert df.count() == 30
        assert {row.id for row in df.collect()} == set(pandas_ids(df))
    finally:
        df.unpersist()


def test_a_plan_that_is_taken_and_then_executed(spark: SparkSession, table: str) -> None:
    df = spark.sql(f"SELECT id FROM {table} LIMIT 7000")
    taken = {row.id for row in df.collect()}
    executed = pandas_ids(df)
    assert len(taken) == len(set(executed)) == len(executed) == 7000


def test_a_file_that_is_replaced_before_the_query_runs(spark: SparkSession, tmp_path: Path) -> None:
    """Nothing was proved, so the rows of the new file are as good as those of the old one."""
    path = tmp_path / "t"
    path.mkdir()
    pq.write_table(pa.table({"id": list(range(1000))}), path / "0.parquet")
    df = spark.read.parquet(str(path)).limit(10)
    assert reported(df)[1] == "at-root"
    pq.write_table(pa.table({"id": list(range(5000, 6000))}), path / "0.parquet")
    assert all(5000 <= row.id < 6000 for row in df.collect())


def test_a_file_that_is_deleted_is_sparks_error(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.mkdir()
    pq.write_table(pa.table({"id": list(range(1000))}), path / "0.parquet")
    df = spark.read.parquet(str(path)).limit(10)
    assert reported(df)[1] == "at-root"
    (path / "0.parquet").unlink()
    with pytest.raises(Exception, match=FILE_IS_MISSING):
        df.collect()


def test_views_unions_and_subqueries_are_planned_with_the_query(
    spark: SparkSession, table: str
) -> None:
    below = f"(SELECT id FROM {table} LIMIT 5)"
    for query in (
        f"SELECT count(*) AS n FROM {below}",
        f"SELECT * FROM {below} UNION ALL SELECT id FROM {table}",
        f"SELECT max(id) AS n FROM {table} WHERE id IN {below}",
    ):
        limits = limit_pruning.report(spark.sql(query)).limits
        assert limits, query
        assert all(limit.covered for limit in limits), query


def test_with_the_extension_off_nothing_is_left_of_it(spark: SparkSession, table: str) -> None:
    with conf(spark, {ENABLED: "false"}):
        df = spark.sql(f"SELECT * FROM {table} LIMIT 5")
        assert "TakeFirstRows" not in physical(df)
        assert len(df.collect()) == 5
