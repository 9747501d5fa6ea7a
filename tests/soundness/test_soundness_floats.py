"""What must never be proved about floating point columns: NaN, signed zeros, other orders."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from support.files import footer_edit
from support.predicates import Compare, In, Not, Predicate, between
from support.runs import check, conf, hold
from support.tables import one_column

pytestmark = pytest.mark.usefixtures("no_push_down", "statistics_alone")

NAN = math.nan
DOUBLE = pa.float64()
OPERATORS = ("=", "<>", "<", "<=", ">", ">=", "<=>")


@pytest.fixture
def no_push_down(spark: SparkSession) -> Iterator[None]:
    """Keep Spark's own row group filter out: it loses rows where bounds leave out NaN."""
    with conf(spark, {"spark.sql.parquet.filterPushdown": "false"}):
        yield


def every_comparison(*values: float) -> list[Predicate]:
    """Return all comparisons with each value, and their negations."""
    positive: list[Predicate] = [Compare("c", op, value) for op in OPERATORS for value in values]
    return positive + [Not(predicate) for predicate in positive] + [In("c", values)]


@pytest.mark.parametrize("kind", [pa.float32(), DOUBLE], ids=str)
def test_line_10_nan_left_out_of_bounds(
    spark: SparkSession, tmp_path: Path, kind: pa.DataType
) -> None:
    table = one_column(tmp_path, kind, [[1.0, NAN], [NAN, NAN], [1.0, 1.0]]).register(spark)
    assert not check(spark, table, Compare("c", "=", 1.0), 2).covered
    assert not check(spark, table, In("c", (1.0, 2.0)), 2).covered
    assert check(spark, table, Compare("c", ">=", 1.0), 2).covered
    for predicate in every_comparison(1.0, 2.0, NAN):
        hold(spark, table, predicate, 3)


def test_line_11_another_column_order(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, DOUBLE, [[5.0, NAN, 5.0]])
    footer_edit.set_column_order(table.path, 2)
    table.register(spark)
    assert not check(spark, table, Compare("c", "=", 5.0), 3).covered
    for predicate in every_comparison(5.0, 6.0, NAN):
        hold(spark, table, predicate, 3)


def test_line_12_signed_zeros_are_equal(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, DOUBLE, [[-0.0, -0.0], [0.0, 0.0], [-0.0, 0.0]]).register(spark)
    for predicate in every_comparison(0.0, -0.0):
        hold(spark, table, predicate, 6)
        hold(spark, table, predicate, 1)


@pytest.mark.parametrize("bounds", [(NAN, NAN), (1.0, NAN), (NAN, 4.0)])
def test_line_13_a_bound_that_is_nan(
    spark: SparkSession, tmp_path: Path, bounds: tuple[float, float]
) -> None:
    table = one_column(tmp_path, DOUBLE, [[1.0, NAN, 4.0]])
    low, high = (struct.pack("<d", bound) for bound in bounds)
    footer_edit.set_bounds(table.path, "c", low, high)
    table.register(spark)
    for predicate in every_comparison(0.5, 4.0, NAN):
        hold(spark, table, predicate, 3)


def test_line_46_nan_left_out_by_current_writers(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, DOUBLE, [[1.0, 2.0, 3.0, NAN] * 4, [5.0, NAN, 7.0]])
    table.register(spark)
    assert not check(spark, table, Compare("c", "<=", 3.0), 13).covered
    assert not check(spark, table, Compare("c", "<", 8.0), 15).covered
    assert not check(spark, table, between("c", 0.0, 9.0), 15).covered
    assert not check(spark, table, Not(Compare("c", ">", 3.0)), 12).covered


def test_line_46_nan_in_files_that_spark_writes(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "spark")
    rows = "VALUES (1, 1D), (2, double('NaN')), (3, 3D) AS v(id, c)"
    spark.sql(f"SELECT * FROM {rows}").coalesce(1).write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("written")
    found = spark.sql("SELECT id FROM written WHERE c <= 3D LIMIT 3").collect()
    assert sorted(row.id for row in found) == [1, 3]
