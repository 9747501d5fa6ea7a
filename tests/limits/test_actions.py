"""Every action that asks for a few rows: each gives what it gives without the extension."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support import oracle
from support.predicates import Predicate, sql
from support.runs import ENABLED, assert_answer, conf
from support.tables import Table


def pandas_ids(df: DataFrame) -> list[int]:
    """Return the ids of the rows by way of pandas."""
    frame: Any = df.toPandas()
    return [int(value) for value in frame["id"]]


ACTIONS: dict[str, Callable[[DataFrame], list[int]]] = {
    "head": lambda df: [row.id for row in df.head(7)],
    "take": lambda df: [row.id for row in df.take(7)],
    "limit": lambda df: [row.id for row in df.limit(7).collect()],
    "offset": lambda df: [row.id for row in df.offset(3).limit(7).collect()],
    "to_local_iterator": lambda df: [row.id for row in df.limit(7).toLocalIterator()],
    "to_pandas": lambda df: pandas_ids(df.limit(7)),
}


@pytest.fixture(params=["false", "true"], ids=["off", "on"])
def query(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    sightings: Table,
    predicate: Predicate | None,
) -> Iterator[DataFrame]:
    """The query without its LIMIT, with the extension off, then on."""
    where = "" if predicate is None else f" WHERE {sql(predicate)}"
    with conf(spark, {ENABLED: request.param}):
        yield spark.sql(f"SELECT * FROM {sightings.name}{where}")


def ids(values: list[int]) -> list[oracle.Row]:
    """Return these as rows."""
    return [{"id": value} for value in values]


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS.keys())
def test_rows(
    action: Callable[[DataFrame], list[int]],
    query: DataFrame,
    sightings: Table,
    predicate: Predicate | None,
) -> None:
    expected = oracle.matching(sightings.rows, predicate)
    assert_answer(ids(action(query)), expected, 7)


@pytest.mark.parametrize("arrow", ["true", "false"])
def test_to_pandas_with_and_without_arrow(
    spark: SparkSession,
    query: DataFrame,
    sightings: Table,
    predicate: Predicate | None,
    arrow: str,
) -> None:
    with conf(spark, {"spark.sql.execution.arrow.pyspark.enabled": arrow}):
        found = pandas_ids(query.limit(7))
    assert_answer(ids(found), oracle.matching(sightings.rows, predicate), 7)


def test_first_and_is_empty(
    query: DataFrame, sightings: Table, predicate: Predicate | None
) -> None:
    first = query.first()
    assert first is not None
    assert_answer(ids([first.id]), oracle.matching(sightings.rows, predicate), 1)
    assert not query.isEmpty()
    assert query.where("s < 0").isEmpty()
    assert query.where("s < 0").first() is None


def test_show(query: DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    query.select("id", "s").show(7)
    text = capsys.readouterr().out
    assert "only showing top 7 rows" in text
    assert len([line for line in text.splitlines() if line.startswith("|")]) == 1 + 7


def test_write(
    spark: SparkSession,
    query: DataFrame,
    sightings: Table,
    predicate: Predicate | None,
    tmp_path: Path,
) -> None:
    query.limit(7).write.parquet(str(tmp_path / "copy"))
    written = [row.asDict() for row in spark.read.parquet(str(tmp_path / "copy")).collect()]
    assert_answer(written, oracle.matching(sightings.rows, predicate), 7, ["id"])


def test_create_table_and_insert(
    spark: SparkSession, query: DataFrame, sightings: Table, predicate: Predicate | None
) -> None:
    query.createOrReplaceTempView("filtered")
    spark.sql("DROP TABLE IF EXISTS kept")
    try:
        spark.sql("CREATE TABLE kept USING parquet AS SELECT * FROM filtered LIMIT 4")
        spark.sql("INSERT INTO kept SELECT * FROM filtered LIMIT 3")
        kept = [row.asDict() for row in spark.table("kept").collect()]
    finally:
        spark.sql("DROP TABLE IF EXISTS kept")
    assert len(kept) == 7
    expected = oracle.matching(sightings.rows, predicate)
    assert set(oracle.as_bag(kept, ["id"])) <= set(oracle.as_bag(expected, ["id"]))


def test_the_report_of_a_data_frame_limit(spark: SparkSession, sightings: Table) -> None:
    df = spark.table(sightings.name).where("s >= 4").limit(7)
    report = limit_pruning.report(df).only
    assert report.covered
    assert report.rows.read is None
    rows = df.toPandas()
    after = limit_pruning.report(df).only
    assert len(rows) == 7
    assert after.rows.read is not None
    assert after.rows.read >= 7
