"""Inspects a table for one predicate."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

from limit_pruning._bridge import ReportBridge
from limit_pruning._errors import InspectionError
from limit_pruning._inspection import Inspection, inspection_of
from limit_pruning._parse import Versioned, parsed
from limit_pruning._session import reports_of, require
from limit_pruning._source import matching
from limit_pruning._spark_errors import one_line, spark_errors

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

LARGEST_COUNT = 2**31 - 1  # as Spark counts rows of a LIMIT

_FILES_A_STEP = 32


def inspect(
    spark: SparkSession,
    table: str | os.PathLike[str] | DataFrame,
    predicate: str | Column | None = None,
    *,
    limit: int = 1,
    max_files: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Inspection:
    """Inspect all row groups of a Parquet table for one predicate. No query is run.

    The planning of a LIMIT stops where reading more footers does not pay. This function reads every
    footer, and dictionaries, bloom filters and page indexes as a LIMIT would.

    Args:
        spark: A classic or a Spark Connect session with the extension.
        table: One of these:

            - A str: the name of a table or view, or a format and a path as in SQL:
              ``delta.`/path` ``. If there is no such table, or if the str is a path with a slash,
              it is what ``spark.read.parquet`` takes: a path, a URI or a glob of files or folders.
              Spark resolves a path without a scheme against its default file system.
            - A path object: a file or folder on the driver's local file system. A relative one is
              resolved against the working directory of Python.
            - A DataFrame of this session, of filters and projections over one Parquet
              table. It has no LIMIT of its own.
        predicate: The predicate, in SQL or as a Column; None for all rows. The filters of a
            DataFrame apply, too.
        limit: Rows of the LIMIT, at least 1.
        max_files: The most files to inspect, in path order; None for all.
        progress: Called with the number of files inspected so far and of files to inspect; with
            Spark Connect, once at the end.

    Returns:
        The states of the row groups, the report of the LIMIT, and the layout of the columns.
        ``str()``, `show()` and notebooks display it; `to_dict()`, `to_json()` and `to_pandas()`
        export it.

    Raises:
        TypeError: `spark`, `table` or `predicate` has another type.
        InspectionError: The path or table does not exist or is not Parquet, the predicate,
            `limit` or `max_files` is wrong, or the query is one that is never pruned, such as a
            join or a random predicate.
        SparkConnectNotSupportedError: `table` or `predicate` belongs to Spark Connect, and the
            session does not.
        UnsupportedSparkVersionError: This release does not support the session's Spark version.
        ExtensionNotActiveError: The session was started without the extension.
        JarMismatchError: The session's JAR lacks something that this package needs.

    Examples:
        >>> found = limit_pruning.inspect(spark, "events", "ts >= '2024-03-04'", limit=100)
        >>> found.row_groups.fully_matched
        12
        >>> found = limit_pruning.inspect(spark, spark.table("events").where("user = 'a'"))
    """
    require(spark, "inspect")
    for name, count in (("limit", limit), ("max_files", max_files)):
        if count is not None and not _is_count(count):
            raise InspectionError(
                f"{name} is {count!r}; it must be an int from 1 to {LARGEST_COUNT}."
            )
    bridge = reports_of(spark)
    with _errors_of(bridge):
        rows = matching(spark, table, predicate)
    if isinstance(bridge, ReportBridge):
        return _in_steps(bridge, rows, limit, max_files, progress)
    with _errors_of(bridge):
        found = inspection_of(bridge.inspection(rows, limit, max_files))
    if progress is not None:
        progress(found.files.inspected, found.files.inspected)
    return found


def _in_steps(
    bridge: ReportBridge,
    rows: DataFrame,
    limit: int,
    max_files: int | None,
    progress: Callable[[int, int], None] | None,
) -> Inspection:
    with _errors_of(bridge):
        inspection = bridge.inspect(rows.limit(limit))
        files = int(inspection.files())
    target = files if max_files is None else min(files, max_files)
    done = 0
    while done < target:
        with _errors_of(bridge):
            done = int(inspection.inspect(min(_FILES_A_STEP, target - done)))
        if progress is not None:
            progress(done, target)
    with _errors_of(bridge):
        return inspection_of(json.loads(str(inspection.result())))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= LARGEST_COUNT


@contextmanager
def _errors_of(bridge: Versioned) -> Iterator[None]:
    """Raise what the JVM reports as an error of this package."""
    with parsed(bridge):
        try:
            yield
        except spark_errors() as error:
            raise InspectionError(one_line(error)) from error
