"""Finds the table of a path, a name or a DataFrame."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from limit_pruning._connect import connect_error, is_connect

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    Source = str | os.PathLike[str] | DataFrame


def query(
    spark: SparkSession, table: Source, predicate: str | Column | None, limit: int
) -> DataFrame:
    """Return the first `limit` rows of a table that match a predicate, as a query.

    Raises:
        TypeError: `table` or `predicate` has another type.
        SparkConnectNotSupportedError: `table` or `predicate` belongs to Spark Connect.
        AnalysisException: The table does not exist, or the predicate is wrong.
    """
    from pyspark.sql import Column

    if is_connect(predicate):
        raise connect_error("inspect", "this Column is a Spark Connect one")
    if predicate is not None and not isinstance(predicate, (str, Column)):
        raise _type_error("predicate", "a str, a pyspark Column or None", predicate)
    rows = _rows(spark, table)
    return (rows if predicate is None else rows.where(predicate)).limit(limit)


def _rows(spark: SparkSession, table: Source) -> DataFrame:
    from pyspark.sql import DataFrame

    if is_connect(table):
        raise connect_error("inspect", "this DataFrame is a Spark Connect one")
    if isinstance(table, DataFrame):
        return table
    if not isinstance(table, (str, os.PathLike)):
        raise _type_error("table", "a str, a path or a pyspark DataFrame", table)
    if isinstance(table, os.PathLike) or Path(table).exists():
        # The working directory of the JVM may differ.
        return spark.read.parquet(str(Path(table).absolute()))
    return spark.read.parquet(table) if "/" in table else spark.table(table)


def _type_error(name: str, expected: str, found: object) -> TypeError:
    return TypeError(
        f"inspect() takes {expected} as {name}, not {type(found).__name__}: {found!r:.80}"
    )
