"""Finds the table of a path, a name or a DataFrame."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from limit_pruning._connect import connect_error, is_connect
from limit_pruning._errors import InspectionError
from limit_pruning._spark_errors import condition

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    Source = str | os.PathLike[str] | DataFrame


def matching(spark: SparkSession, table: Source, predicate: str | Column | None) -> DataFrame:
    """Return the rows of a table that match a predicate, as a query.

    Raises:
        TypeError: `table` or `predicate` has another type.
        SparkConnectNotSupportedError: `table` or `predicate` belongs to Spark Connect, and `spark`
            does not.
        InspectionError: There is neither a table nor a path of this name.
        AnalysisException: The path does not exist, or the predicate is wrong.
    """
    from pyspark.sql import Column

    _check_kind(spark, predicate, "Column")
    _check_kind(spark, table, "DataFrame")
    if predicate is not None and not isinstance(predicate, (str, Column)):
        raise _type_error("predicate", "a str, a pyspark Column or None", predicate)
    rows = _rows(spark, table)
    return rows if predicate is None else rows.where(predicate)


def _check_kind(spark: SparkSession, thing: object, kind: str) -> None:
    """Raise an error if `thing` is of Spark Connect and the session is not, or the reverse."""
    from pyspark.sql import Column, DataFrame

    if is_connect(thing) and not is_connect(spark):
        raise connect_error("inspect", f"this {kind} is a Spark Connect one")
    if isinstance(thing, (Column, DataFrame)) and is_connect(spark) and not is_connect(thing):
        raise TypeError(f"inspect() takes a {kind} of its Spark Connect session, not a classic one")


def local_uri(path: str | os.PathLike[str]) -> str:
    """Return what names a local path for Spark, whose default file system may be another one."""
    # Absolute, because the JVM may have another working directory. Path.as_uri() encodes spaces,
    # which Spark does not decode.
    return "file:///" + Path(path).absolute().as_posix().lstrip("/")


def _rows(spark: SparkSession, table: Source) -> DataFrame:
    from pyspark.sql import DataFrame

    if isinstance(table, DataFrame):
        return table
    if not isinstance(table, (str, os.PathLike)):
        raise _type_error("table", "a str, a path or a pyspark DataFrame", table)
    if not str(table).strip():
        raise InspectionError(f"table is {table!r}; it must be the name of a table, or a path.")
    if isinstance(table, os.PathLike):
        return spark.read.parquet(local_uri(table))
    is_format_and_path = re.fullmatch(r"\w+\.`.+`", table)  # as in SQL: delta.`/path`
    is_path = "/" in table and not is_format_and_path
    return spark.read.parquet(table) if is_path else _named(spark, table)


def _named(spark: SparkSession, name: str) -> DataFrame:
    """Return the rows of a table or view, or of a path where there is none of this name."""
    from pyspark.errors import AnalysisException, IllegalArgumentException

    try:
        return _analyzed(spark.table(name))
    except AnalysisException as error:
        no_table = error
    try:
        return _analyzed(spark.read.parquet(name))
    except AnalysisException as error:
        if condition(error) != "PATH_NOT_FOUND":
            raise
        path = (error.getMessageParameters() or {}).get("path", name)
        found = f"the path {path} does not exist"
    except IllegalArgumentException:  # a colon, for example
        found = "it is not a path"
    raise InspectionError(
        f"There is no table or view {name!r}, and {found}. Give the name of a table or view, or "
        "the path of Parquet files."
    ) from no_table


def _analyzed(df: DataFrame) -> DataFrame:
    """Return a DataFrame that has been analyzed, which Spark Connect does later otherwise."""
    _ = df.schema
    return df


def _type_error(name: str, expected: str, found: object) -> TypeError:
    return TypeError(
        f"inspect() takes {expected} as {name}, not {type(found).__name__}: {found!r:.80}"
    )
