"""What must never be proved from files as their very writers left them, wrong metadata included."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support import footers, oracle
from support.files.quirky_files import FILES, covered_and_right, made_by
from support.predicates import Compare, In, IsNull, Not, Predicate, StartsWith
from support.runs import check

NULL_COUNTS: dict[str, tuple[str, Predicate, int]] = {
    "ARROW-12513": ("pyarrow-5.0.0-nulls", Not(IsNull("s")), 8),
    "pola-rs/polars#7842": ("polars-0.16.18", Not(IsNull("c")), 8),
    "pola-rs/polars#29321": ("polars-1.38.1-half", IsNull("s"), 2),
    "pola-rs/polars#29321, last release": ("polars-1.44.2-half", IsNull("s"), 2),
    "duckdb-0.6.1.parquet": ("duckdb-0.6.1", IsNull("s"), 2048),
    "duckdb-0.9.2.parquet": ("duckdb-0.9.2", IsNull("s"), 2048),
}


@pytest.mark.parametrize("source", NULL_COUNTS)
def test_line_44_null_counts_that_are_wrong(spark: SparkSession, source: str) -> None:
    name, predicate, rows = NULL_COUNTS[source]
    table = made_by(spark, name)
    assert len(oracle.matching(table.rows, predicate)) < len(table.rows)
    for limit in (1, rows // 2, rows):
        assert not covered_and_right(spark, table, predicate, limit)


def test_line_44_zero_nulls_are_believed_of_those_who_count_too_many(spark: SparkSession) -> None:
    for name in ("polars-1.44.2", "duckdb-0.9.2"):
        table = made_by(spark, name)
        assert check(spark, table, Compare("id", ">=", 0), 3, ["id"]).covered, name


def test_line_45_bounds_of_the_first_chunk(spark: SparkSession) -> None:
    table = made_by(spark, "pyarrow-10.0.1-chunks")  # apache/arrow#15042
    lies: list[Predicate] = [
        Compare("s", "<=", "o"),
        Compare("s", ">=", "m"),
        Not(Compare("s", "=", "zzz")),
    ]
    for predicate in lies:
        assert footers.counts(table.files, predicate, 5).fully_matched == (predicate != lies[2])
        for limit in (3, 4, 5):
            assert not covered_and_right(spark, table, predicate, limit)


WITH_NAN = "(polars|duckdb|fast|delta|datafusion|trino-[0-9]+$)"
NAN_FILES = [name for name in FILES if "nan" in name or re.match(WITH_NAN, name)]


@pytest.mark.parametrize("name", [name for name in NAN_FILES if "half" not in name])
def test_line_46_bounds_without_nan(spark: SparkSession, name: str) -> None:
    table = made_by(spark, name)
    for op, value in (("<=", 3.0), ("<", 8.0), ("=", 1.0), ("<>", 9.0), (">=", 1.0), (">", 0.0)):
        covered = covered_and_right(spark, table, Compare("d", op, value), len(table.rows))
        assert not (covered and op in ("<", "<=", "=")), f"{name}: d {op} {value}"
    assert not covered_and_right(spark, table, In("d", (1.0, 2.0, 2.5, 3.0)), len(table.rows))


BEGIN_WITH_NAN = {
    "parquet-mr-1.8.1.parquet": ("parquet-mr-1.8.1", "e"),
    "polars-1.44.2-pages.parquet": ("polars-1.44.2-pages", "d"),
}


@pytest.mark.parametrize("source", BEGIN_WITH_NAN)
def test_line_46_bounds_without_the_values_of_pages_with_nan(
    spark: SparkSession, source: str
) -> None:
    name, column = BEGIN_WITH_NAN[source]
    table = made_by(spark, name)
    lies: list[Predicate] = [Compare(column, ">=", 1.0), Not(Compare(column, "<", 0.0))]
    for predicate in lies:
        assert 0 < len(oracle.matching(table.rows, predicate)) < len(table.rows)
        for limit in (1, 20, len(table.rows)):
            assert not covered_and_right(spark, table, predicate, limit)
    for text in (f"SELECT id, {column} FROM q ORDER BY {column} LIMIT 5",):
        assert not limit_pruning.report(spark.sql(text)).only.covered


def test_line_88_bounds_of_categories_in_the_order_of_the_categories(spark: SparkSession) -> None:
    table = made_by(spark, "fastparquet-2026.9.0-categories")
    lies: list[Predicate] = [Compare("i", "<=", 5), Compare("i", "<>", 9)]
    for predicate in lies:
        assert len(oracle.matching(table.rows, predicate)) < len(table.rows)
        for limit in (1, 4, len(table.rows)):
            assert not covered_and_right(spark, table, predicate, limit)


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("polars-")])
def test_line_47_column_indexes_that_are_wrong(spark: SparkSession, name: str) -> None:
    table = made_by(spark, name)
    columns = {"d", "n", "s", "i", "m"} & set(table.rows[0])
    for column in sorted(columns):
        for predicate in (IsNull(column), Not(IsNull(column))):
            for limit in (1, len(table.rows)):
                covered_and_right(spark, table, predicate, limit)


@pytest.mark.parametrize("name", FILES)
def test_line_51_whatever_a_file_says_the_answer_is_right(spark: SparkSession, name: str) -> None:
    table = made_by(spark, name)
    rows = len(table.rows)
    candidates: dict[str, list[Predicate]] = {
        "s": [Compare("s", ">=", "a"), Compare("s", "<>", "q"), StartsWith("s", "x")],
        "i": [Compare("i", ">", 0), Compare("i", "<=", 5), Compare("i", "<=>", None)],
        "m": [Compare("m", ">=", Decimal("-1.50")), Compare("m", "<", Decimal("3.00"))],
        "n": [Compare("n", ">", 1.0), Not(Compare("n", "<", 1.0))],
    }
    for column in candidates.keys() & set(table.rows[0]):
        for predicate in [*candidates[column], IsNull(column), Not(IsNull(column))]:
            covered_and_right(spark, table, predicate, rows // 2)
