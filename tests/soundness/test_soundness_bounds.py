"""What must never be proved from min and max that are cut, old, unordered or not there."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support import oracle
from support.files import footer_edit
from support.predicates import Compare, In, IsNull, Not, Predicate, StartsWith
from support.runs import check, hold
from support.tables import Table, one_column, write

pytestmark = pytest.mark.usefixtures("statistics_alone")

TEXT = pa.string()
OPERATORS = ("=", "<>", "<", "<=", ">", ">=")


def check_all(spark: SparkSession, table: Table, *values: Any) -> None:
    """Hold every comparison with each value against the oracle."""
    for value in values:
        for op in OPERATORS:
            hold(spark, table, Compare("c", op, value), 2, ["id"])


@pytest.mark.parametrize("exact", [False, None])
def test_line_14_truncated_bounds(spark: SparkSession, tmp_path: Path, exact: bool | None) -> None:
    start = "a" * 64
    table = one_column(tmp_path, TEXT, [[start + "x", start + "y"]])
    bounds = (start.encode(), ("a" * 63 + "b").encode())
    footer_edit.set_bounds(table.path, "c", *bounds, exact)
    table.register(spark)
    check_all(spark, table, start, start + "x", "a" * 63 + "b")
    assert check(spark, table, Compare("c", ">=", start), 2).covered
    assert not check(spark, table, StartsWith("c", start), 2).covered


def test_line_14_equal_bounds_that_are_cut(spark: SparkSession, tmp_path: Path) -> None:
    start = "a" * 64
    table = one_column(tmp_path, TEXT, [[start + "x", start + "y"]])
    footer_edit.set_bounds(table.path, "c", start.encode(), start.encode(), exact=False)
    table.register(spark)
    query = f"SELECT * FROM t WHERE c = '{start}' LIMIT 1"
    assert not limit_pruning.report(spark.sql(query)).only.covered
    assert spark.sql(query).collect() == []


def test_line_15_bounds_around_a_prefix(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, TEXT, [["Alp", "Alpine Bat", "Alq"], ["Alpine", "Alpinf"]])
    table.register(spark)
    for prefix in ("Alpine", "Alp", "Al", "Alpine Bat and more"):
        hold(spark, table, StartsWith("c", prefix), 3)
        hold(spark, table, Not(StartsWith("c", prefix)), 3)
    assert not check(spark, table, StartsWith("c", "Alpine"), 3).covered


@pytest.mark.parametrize("writer", ["parquet-mr version 1.7.0", "parquet-cpp version 1.2.0"])
def test_line_16_deprecated_signed_bounds(spark: SparkSession, tmp_path: Path, writer: str) -> None:
    table = one_column(tmp_path, TEXT, [["z", "é", "a"]])
    footer_edit.set_old_bounds(table.path, "c", "é".encode(), b"z")
    footer_edit.set_writer(table.path, writer)
    table.register(spark)
    check_all(spark, table, "z", "é", "a", "b")
    assert not check(spark, table, Compare("c", "<=", "z"), 3).covered


def test_line_16_statistics_missing(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path / "one", pa.int32(), [[1, 9], [5, 6], [7, 8]])
    footer_edit.drop_statistics(table.path, "c", row_group=1)
    table.register(spark)
    assert check(spark, table, Compare("c", ">", 4), 2).row_groups.fully_matched == 1
    bare = one_column(tmp_path / "all", pa.int32(), [[1, 9], [5, 6]], write_statistics=False)
    bare.register(spark)
    check_all(spark, bare, 5, 0)
    assert not check(spark, bare, Compare("c", ">", 0), 2).covered


UNORDERED: dict[str, tuple[pa.DataType, list[Any], list[Any], dict[str, Any]]] = {
    "int96": (
        pa.timestamp("ns"),
        [datetime(2024, 1, 1), datetime(2024, 1, 2)],
        [datetime(2024, 1, 1)],
        {"use_deprecated_int96_timestamps": True},
    ),
    "uint8": (pa.uint8(), [1, 200], [100], {}),
    "uint16": (pa.uint16(), [1, 60000], [100], {}),
    "uint32": (pa.uint32(), [1, 3_000_000_000], [100, 2**31], {}),
    "uint64": (pa.uint64(), [1, 2**63 + 5], [100], {}),
    "decimal_as_int32": (
        pa.decimal128(9, 2),
        [Decimal("-1.50"), Decimal("2.25")],
        [Decimal("0.00")],
        {"store_decimal_as_integer": True},
    ),
    "decimal_as_bytes": (
        pa.decimal128(20, 2),
        [Decimal("-1.50"), Decimal("2.25")],
        [Decimal("0.00")],
        {},
    ),
}


@pytest.mark.parametrize("kind", UNORDERED.keys())
def test_line_17_types_without_a_usable_order(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    arrow, stored, asked, options = UNORDERED[kind]
    table = one_column(tmp_path, arrow, [stored, stored[:1]], **options).register(spark)
    check_all(spark, table, *stored, *asked)
    hold(spark, table, In("c", (stored[0], asked[0])), 2, ["id"])


def test_line_18_long_values_have_no_statistics(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, TEXT, [["x" * 5000, None, "y" * 5000]]).register(spark)
    predicates: list[Predicate] = [Not(IsNull("c")), IsNull("c"), Compare("c", ">", "a")]
    for predicate in predicates:
        assert not check(spark, table, predicate, 3).covered


def test_line_19_empty_row_groups_and_files(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    schema = pa.schema([("id", pa.int64()), ("c", pa.int32())])
    write(folder / "a.parquet", [], schema)
    write(folder / "b.parquet", [{}, {"id": [1, 2], "c": [5, 6]}, {}], schema)
    table = Table("t", folder, oracle.read(folder)).register(spark)
    for limit in (1, 2, 3, 2_147_483_647):
        for predicate in (None, Compare("c", ">", 4), Not(Compare("c", ">", 4))):
            hold(spark, table, predicate, limit)
    assert spark.sql("SELECT * FROM t WHERE c > 4 LIMIT 0").collect() == []


def test_line_19_row_counts_beyond_an_int(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, pa.int32(), [[1], [2], [3]])
    footer_edit.set_row_counts(table.path, 2_000_000_000)
    table.register(spark)
    report = limit_pruning.report(spark.sql("SELECT * FROM t WHERE c > 0 LIMIT 2100000000")).only
    assert report.covered
    assert report.row_groups.scanned == 2
    assert report.rows.to_read == 4_000_000_000
