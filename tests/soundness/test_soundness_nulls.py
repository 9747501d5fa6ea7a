"""What must never be proved about nulls and SQL's third truth value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from support import oracle
from support.files import footer_edit
from support.predicates import Compare, Flag, In, IsNull, Not, Predicate, both, either, sql
from support.runs import check, hold, on_off
from support.tables import Table, one_column, write

INT = pa.int32()
TWO = pa.schema([("id", pa.int64()), ("a", pa.int32()), ("b", pa.int32())])


def two_columns(path: Path, a: list[Any], b: list[Any]) -> Table:
    """Write a table ``t`` of one row group with columns ``a`` and ``b``."""
    group = {"id": list(range(len(a))), "a": a, "b": b}
    file = write(path / "t.parquet", [group], TWO)
    return Table("t", file, oracle.read(file))


def test_line_01_null_count_decides(spark: SparkSession, tmp_path: Path) -> None:
    predicate = Compare("c", ">", 15)
    known = one_column(tmp_path / "none", INT, [[16, 20, 18]]).register(spark)
    assert check(spark, known, predicate, 2).covered
    one_null = one_column(tmp_path / "one", INT, [[16, None, 20]]).register(spark)
    assert not check(spark, one_null, predicate, 3).covered


@pytest.mark.parametrize("values", [[16, None, 20], [16, 18, 20]])
def test_line_01_absent_null_count_is_unknown(
    spark: SparkSession, tmp_path: Path, values: list[int | None]
) -> None:
    table = one_column(tmp_path, INT, [values])
    footer_edit.drop_null_count(table.path, "c")
    assert not check(spark, table.register(spark), Compare("c", ">", 15), 3).covered


def test_line_02_all_null_column(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, INT, [[None] * 4, [7, 8]]).register(spark)
    report = check(spark, table, Not(Compare("c", "<", 5)), 2)
    assert report.row_groups.matched == 1
    assert report.covered


def test_line_02_column_missing_in_an_older_file(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    old = pa.schema([("id", pa.int64())])
    new = pa.schema([("id", pa.int64()), ("c", INT)])
    write(folder / "a-old.parquet", [{"id": [0, 1, 2]}], old)
    write(folder / "b-new.parquet", [{"id": [3, 4, 5], "c": [9, 1, None]}], new)
    table = Table("t", folder, oracle.read(folder)).register(spark, mergeSchema="true")
    for predicate in (Not(Compare("c", "<", 5)), Compare("c", "<>", 1), Not(IsNull("c"))):
        assert not check(spark, table, predicate, 2, ["id"]).covered
    hold(spark, table, IsNull("c"), 2, ["id"])


@pytest.mark.parametrize("values", [[None, 5], [None, None], [None, 6]])
def test_line_03_null_is_not_different(
    spark: SparkSession, tmp_path: Path, values: list[int | None]
) -> None:
    table = one_column(tmp_path, INT, [values]).register(spark)
    assert not check(spark, table, Compare("c", "<>", 5), 2).rows.to_read


def test_line_04_null_in_a_list(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, INT, [[1, 1], [2, 2], [None, None]]).register(spark)
    assert check(spark, table, In("c", (1, None)), 2).covered
    never = on_off(spark, f"SELECT * FROM t WHERE {sql(Not(In('c', (1, None))))} LIMIT 1")
    assert never.on == []
    assert not never.report.limits, "Spark itself finds that nothing matches"
    assert not check(spark, table, In("c", (3, None)), 1).rows.to_read


def test_line_05_null_safe_equality(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, pa.string(), [["A", None], ["A", "A"], ["B", None]])
    table.register(spark)
    hold(spark, table, Not(Compare("c", "<=>", "A")), 3)
    assert check(spark, table, Compare("c", "<=>", "A"), 2).covered
    assert not check(spark, table, Compare("c", "<=>", "A"), 3).covered


@pytest.mark.parametrize("edit", [footer_edit.drop_bounds, footer_edit.drop_null_count])
def test_line_06_is_null_needs_the_count(
    spark: SparkSession, tmp_path: Path, edit: Callable[[Path, str], None]
) -> None:
    table = one_column(tmp_path, INT, [[1, 2], [None, None], [3, None]])
    edit(table.path, "c")
    table.register(spark)
    absent = edit is footer_edit.drop_null_count
    assert check(spark, table, IsNull("c"), 2).covered != absent
    assert check(spark, table, Not(IsNull("c")), 2).covered != absent
    hold(spark, table, IsNull("c"), 4)


def test_line_07_null_accepting_predicates(spark: SparkSession, tmp_path: Path) -> None:
    table = two_columns(tmp_path, [None, None, None], [1, 1, 1]).register(spark)
    assert check(spark, table, either(IsNull("a"), Compare("b", "=", 2)), 3).covered
    assert check(spark, table, Compare("a", "<=>", None), 3).covered
    for where in ("coalesce(a, 5) = 5", "CASE WHEN a IS NULL THEN b = 1 ELSE false END"):
        assert len(on_off(spark, f"SELECT * FROM t WHERE {where} LIMIT 2").on) == 2


def test_line_08_boolean_columns(spark: SparkSession, tmp_path: Path) -> None:
    table = one_column(tmp_path, pa.bool_(), [[True, None], [False, None], [None, None]])
    table.register(spark)
    for predicate in (Flag("c"), Not(Flag("c")), Compare("c", "=", True)):
        assert not check(spark, table, predicate, 2).covered


def test_line_09_three_valued_or_and(spark: SparkSession, tmp_path: Path) -> None:
    table = two_columns(tmp_path, [2, 3, 4], [None, None, 0]).register(spark)
    above: list[Predicate] = [Compare("a", ">", 1), Compare("b", ">", 1)]
    assert check(spark, table, either(*above), 3).covered
    assert not check(spark, table, both(*above), 1).rows.to_read
    assert not check(spark, table, Not(both(*above)), 3).rows.to_read
