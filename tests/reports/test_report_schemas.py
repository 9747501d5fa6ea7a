"""Columns of the table functions are attributes of the Python classes, in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import datetime
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

import limit_pruning

SCALARS = {int: "int", float: "double", bool: "boolean", str: "string", datetime: "timestamp"}


def sql_type(kind: Any) -> str:
    """Return the type of an attribute in SQL, with all names; for any whole number "int"."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return struct((each.name, hints[each.name]) for each in fields(kind))
    if get_origin(kind) is tuple:
        return f"array<{sql_type(get_args(kind)[0])}>"
    if get_origin(kind) is Literal:
        return "string"
    (some,) = set(get_args(kind) or [kind]) - {NoneType}
    return SCALARS[some] if some in SCALARS else sql_type(some)


def struct(attributes: Iterator[tuple[str, Any]]) -> str:
    """Return the type of a struct in SQL."""
    return f"struct<{','.join(f'{name}:{sql_type(kind)}' for name, kind in attributes)}>"


def columns(spark: SparkSession, call: str) -> StructType:
    """Return the schema of what a table function returns. Nothing runs."""
    spark.range(3).createOrReplaceTempView("numbers")
    return spark.sql(f"SELECT * FROM {call}").schema


def text(schema: StructType) -> str:
    """Return a schema as text, as `sql_type` does."""
    return schema.simpleString().replace("bigint", "int")


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("limit_pruning_report('SELECT 1')", limit_pruning.LimitReport),
        ("limit_pruning_inspect('numbers')", limit_pruning.RowGroupReport),
        ("limit_pruning_inspect_summary('numbers')", limit_pruning.Inspection),
        ("limit_pruning_totals()", limit_pruning.Totals),
    ],
)
def test_columns_are_the_attributes_of_the_class(
    spark: SparkSession, call: str, kind: type
) -> None:
    assert text(columns(spark, call)) == sql_type(kind)


def test_history_has_sums_between_the_attributes_and_the_limits(spark: SparkSession) -> None:
    found = columns(spark, "limit_pruning_history()")
    hints = get_type_hints(limit_pruning.QueryReport)
    assert hints.popitem() == ("report", limit_pruning.PruningReport)
    assert text(StructType(found.fields[: len(hints)])) == struct(iter(hints.items()))
    assert text(StructType(found.fields[-1:])) == sql_type(limit_pruning.PruningReport)
