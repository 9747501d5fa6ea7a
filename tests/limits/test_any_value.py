"""any_value without GROUP BY reads one row, if metadata prove that there is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.runs import REFERENCE, conf
from support.scan_tables import physical
from support.tables import write

FILES, ROWS = 6, 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write ``id``, sorted, ``x``, which is null in every third row, and ``p``."""
    path = tmp_path_factory.mktemp("any_value")
    for number in range(FILES):
        ids = list(range(number * ROWS, (number + 1) * ROWS))
        columns = {"id": ids, "x": [None if i % 3 == 0 else 7 * i for i in ids]}
        schema = pa.schema({"id": pa.int64(), "x": pa.int64()})
        write(path / f"p={number % 2}" / f"{number}.parquet", [columns, columns], schema)
    return path


@pytest.fixture(autouse=True)
def t(spark: SparkSession, folder: Path) -> None:
    spark.read.parquet(str(folder)).createOrReplaceTempView("t")


def answer(df: DataFrame) -> tuple[Any, ...]:
    """Return the one row."""
    (row,) = df.collect()
    return tuple(row)


PRUNED = {
    "any_value(id)": "true",
    "any_value(id), any_value(x)": "id >= 450",
    "any_value(id) + 0, first(x)": "p = 1",
    "any_value(DISTINCT id)": "id > 100",
    "any_value(id), max(id)": "true",
    "any_value(id), min(id), max(id), max_by(x, id)": "p = 0",
}


@pytest.mark.core
@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("values", PRUNED)
def test_few_rows_are_read(spark: SparkSession, values: str, adaptive: str) -> None:
    where = PRUNED[values]
    with conf(spark, {"spark.sql.adaptive.enabled": adaptive}):
        df = spark.sql(f"SELECT {values} FROM t WHERE {where}")
        found = answer(df)
        assert "LimitPrunedScan" in physical(df)
        if "m" not in values:
            assert limit_pruning.report(df).only.row_groups.scanned == 1
        with conf(spark, REFERENCE):
            allowed = spark.sql(f"SELECT id, x FROM t WHERE {where}").collect()
            exact = answer(spark.sql(f"SELECT {values} FROM t WHERE {where}"))
    assert found[0] in {row.id for row in allowed}
    if "x" in values and "max" not in values:
        assert found in {(row.id, row.x) for row in allowed}, "values of one row"
    if "max" in values:
        assert found[1:] == exact[1:]


NOT_PRUNED = {
    "nothing is proved": "SELECT any_value(id) FROM t WHERE x % 5 = 3",
    "nulls do not count": "SELECT any_value(id), any_value(x, true) FROM t",
    "another function": "SELECT any_value(id), count(*) FROM t",
    "some of the rows": "SELECT any_value(id) FILTER (WHERE id > 3) FROM t",
    "groups": "SELECT any_value(id) FROM t GROUP BY p",
    "not deterministic": "SELECT any_value(i) FROM (SELECT id + rand() AS i FROM t)",
    "an order": "SELECT first(id) FROM (SELECT * FROM t ORDER BY x LIMIT 1000000)",
    "hint": "SELECT /*+ NO_LIMIT_PRUNING */ any_value(id) FROM t",
    "of the last row": "SELECT last(id) FROM t",
}


@pytest.mark.parametrize("what", NOT_PRUNED)
def test_others_run_as_without_the_extension(spark: SparkSession, what: str) -> None:
    df = spark.sql(NOT_PRUNED[what])
    df.collect()
    assert "LimitPrunedScan" not in physical(df)


def test_a_sorted_table_is_read_in_its_order(spark: SparkSession) -> None:
    df = spark.sql("SELECT first(id) FROM (SELECT * FROM t ORDER BY x DESC)")
    assert answer(df) == (7 * 0 + 599,)
    assert "LimitPrunedScan" not in physical(df)


def test_no_row_has_the_value_null(spark: SparkSession) -> None:
    for where in ("id > 10000", "id > 100 AND id < 100", "p = 7"):
        assert answer(spark.sql(f"SELECT any_value(id), any_value(x) FROM t WHERE {where}")) == (
            None,
            None,
        )


def test_in_subqueries(spark: SparkSession) -> None:
    query = "SELECT * FROM t WHERE p = (SELECT any_value(p) FROM t WHERE id >= 500) LIMIT 3"
    rows = spark.sql(query).collect()
    assert [row.p for row in rows] == [1, 1, 1]
    df = spark.sql("SELECT count(*) FROM t WHERE id > (SELECT any_value(id) FROM t WHERE id > 300)")
    assert 0 <= answer(df)[0] < 600, "each row twice"
    assert "LimitPrunedScan" in physical(df)


def test_files_that_spark_may_skip(spark: SparkSession) -> None:
    with conf(spark, {"spark.sql.files.ignoreMissingFiles": "true"}):
        df = spark.sql("SELECT any_value(id) FROM t")
        assert 0 <= answer(df)[0] < FILES * ROWS
        assert "LimitPrunedScan" not in physical(df)
