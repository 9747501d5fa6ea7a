"""What must never be wrong in ORDER BY … LIMIT: nulls, NaN, ties, thresholds that are bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import limit_pruning
from limit_pruning import LimitReport
from support.files import footer_edit
from support.runs import as_dicts, on_off
from support.tables import Table, one_column, write


def ordered(spark: SparkSession, table: Table, order: str, limit: int = 2) -> LimitReport:
    """Hold the first rows of the table to plain Spark's, by the key, and return the report."""
    table.register(spark)
    query = f"SELECT c AS k, id FROM {table.name} ORDER BY c {order} LIMIT {limit}"
    runs = on_off(spark, query)
    assert [repr(row["k"]) for row in runs.on] == [repr(row["k"]) for row in runs.off]
    return runs.report.only


NULLS: list[list[Any]] = [[3, 4, None], [5, 6, 7], [None, None, None], [8, 9, None]]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 7, 12])
@pytest.mark.parametrize("order", ["", "DESC", "NULLS LAST", "DESC NULLS FIRST"])
def test_line_01_nulls(spark: SparkSession, tmp_path: Path, order: str, limit: int) -> None:
    ordered(spark, one_column(tmp_path, pa.int32(), NULLS), order, limit)


def test_line_01_null_counts_decide(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, pa.int32(), NULLS)
    last = ordered(spark, table, "DESC")
    assert (last.threshold, last.row_groups.scanned, last.row_groups.dropped) == ("8", 1, 3)
    first = ordered(spark, table, "", limit=5)
    assert (first.threshold, first.row_groups.scanned) == ("CAST(NULL AS INT)", 3)
    footer_edit.drop_null_count(table.path, "c")
    # One row of each of the three row groups with values is known to be not null.
    assert ordered(spark, table, "DESC", limit=2).threshold == "7"
    unknown = ordered(spark, table, "DESC", limit=4)
    assert unknown.threshold is None or unknown.row_groups.dropped == 0


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
@pytest.mark.parametrize("order", ["", "DESC"])
def test_line_10_nan_may_be_anywhere(
    spark: SparkSession, tmp_path: Path, kind: pa.DataType, order: str
) -> None:
    groups = [[1.0, float("nan")], [2.0, 3.0], [4.0, 5.0]]
    table = one_column(tmp_path, kind, groups, use_dictionary=False)
    report = ordered(spark, table, order)
    assert report.threshold is None or "NaN" in report.threshold
    assert not report.row_groups.dropped
    if report.reason:
        assert "may be NaN" in report.reason.message


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_line_10_a_dictionary_tells_where_nan_is(
    spark: SparkSession, tmp_path: Path, kind: pa.DataType
) -> None:
    groups = [[1.0, float("nan")], [2.0, 3.0], [4.0, 5.0]]
    table = one_column(tmp_path, kind, groups)
    assert ordered(spark, table, "", limit=1).threshold in ("3.0D", "CAST('3.0' AS FLOAT)")
    assert ordered(spark, table, "DESC", limit=1).row_groups.scanned == 2, "1 and 4 are certain"


def test_line_12_signed_zeros_are_ties(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, pa.float64(), [[-0.0], [0.0], [-0.0]]).register(spark)
    for order in ("", "DESC"):
        found = spark.sql(f"SELECT c FROM {table.name} ORDER BY c {order} LIMIT 3").collect()
        assert [abs(row.c) for row in found] == [0.0, 0.0, 0.0]


def test_line_14_bounds_that_are_cut(spark: SparkSession, tmp_path: Path) -> None:
    """A bound is no value: the least string of a row group may be longer than its bound."""
    long = "k" * 80
    groups = [[long + "b", long + "c"], [long + "a", "z"], ["l", "m"]]
    for order in ("", "DESC"):
        ordered(spark, one_column(tmp_path, pa.string(), groups), order, limit=1)
        ordered(spark, one_column(tmp_path, pa.string(), groups), order, limit=3)
    report = ordered(spark, one_column(tmp_path, pa.string(), [["a", "b"], ["c", "d"]]), "")
    assert report.row_groups.scanned == 1


def test_line_28_a_column_that_a_file_lacks(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "grown"
    write(folder / "0.parquet", [{"id": [0, 1]}], pa.schema([("id", pa.int64())]))
    schema = pa.schema([("id", pa.int64()), ("c", pa.int32())])
    write(folder / "1.parquet", [{"id": [2], "c": [5]}, {"id": [3], "c": [7]}], schema)
    spark.read.schema("id BIGINT, c INT").parquet(str(folder)).createOrReplaceTempView("grown")
    for order in ("c, id", "c DESC, id", "c NULLS LAST, id", "c DESC NULLS FIRST, id"):
        for limit in (1, 2, 3, 4):
            runs = on_off(spark, f"SELECT id FROM grown ORDER BY {order} LIMIT {limit}")
            assert runs.on == runs.off, order


def test_line_30_a_field_of_a_struct(spark: SparkSession, tmp_path: Path) -> None:
    kind = pa.struct([("x", pa.int32()), ("y", pa.string())])
    groups = [[{"x": n, "y": str(n)} for n in range(start, start + 5)] for start in (0, 5, 10, 15)]
    table = one_column(tmp_path, kind, groups, name="c").register(spark)
    for select in ("c.x", "*", "id"):
        runs = on_off(spark, f"SELECT {select} FROM {table.name} ORDER BY c.x DESC LIMIT 3")
        assert runs.on == runs.off
        assert runs.report.only.row_groups.scanned == 1


def test_line_35_a_file_that_changes_after_planning(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, pa.int32(), [[1, 2], [3, 4]]).register(spark)
    df = spark.sql("SELECT id FROM t ORDER BY c LIMIT 1")
    assert limit_pruning.report(df).only.covered
    one_column(tmp_path, pa.int32(), [[7, 8], [-3, -4], [9, 9]])
    with pytest.raises((Py4JJavaError, PySparkException), match="REFRESH TABLE"):
        df.collect()
    table.register(spark)
    again = spark.sql("SELECT c FROM t ORDER BY c LIMIT 1")
    assert as_dicts(again) == [{"c": -4}]


TIES: list[list[Any]] = [[1, 1], [2, 2, 2], [2, 2], [2, 3], [None, None], [0, 2], [2, 2, 2, 2]]


@pytest.mark.parametrize("order", ["", "DESC", "NULLS LAST", "DESC NULLS FIRST"])
def test_line_82_ties_of_the_only_key(spark: SparkSession, tmp_path: Path, order: str) -> None:
    """There are enough rows, whichever of the row groups that begin at the threshold are read."""
    table = one_column(tmp_path, pa.int32(), TIES)
    for limit in range(1, 18):
        ordered(spark, table, order, limit)


def test_line_82_only_as_many_ties_as_are_needed(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, pa.int32(), [[7] * 5] * 10)
    assert ordered(spark, table, "", limit=5).row_groups.scanned == 1
    assert ordered(spark, table, "DESC", limit=6).row_groups.scanned == 2
    # Another key decides between ties.
    runs = on_off(spark, f"SELECT id FROM {table.name} ORDER BY c, id DESC LIMIT 3")
    assert runs.on == runs.off
    assert not runs.report.only.row_groups.dropped
