"""What was pruned in the queries of an application."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from limit_pruning._connect_reports import metric_name
from limit_pruning._export import Exported
from limit_pruning._parse import parsed, result_of
from limit_pruning._report import PruningReport, report_of
from limit_pruning._session import reports_of, require

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class QueryReport(Exported):
    """One query with a LIMIT over Parquet that has run.

    Attributes:
        execution_id: Spark's number of the execution, as its UI shows it.
        description: The description of the query in the UI; empty where it is unknown.
        started: When the query started, in UTC; None where this is unknown.
        ended: When the query ended, in UTC.
        failed: Whether the query ended with an error.
        report: What was pruned, without single row groups.
    """

    execution_id: int
    description: str
    started: datetime | None
    ended: datetime
    failed: bool
    report: PruningReport


@dataclass(frozen=True, slots=True)
class Totals(Exported):
    """Sums over all queries with a LIMIT over Parquet of an application since it started.

    `row_groups_total`, for example, is the sum of ``row_groups.total`` of the LIMITs' reports. It
    also counts LIMITs that were not pruned; `row_groups_read` does not, so do not divide them.

    Attributes:
        queries: Queries with a LIMIT over Parquet that have run.
        limits: LIMITs over Parquet in these queries.
        limits_covered: LIMITs that were covered.
        limits_not_covered: LIMITs that were not covered, but for which row groups were skipped or
            reordered.
        limits_not_pruned: LIMITs that were not pruned, also those that a first task answered.
        row_groups_total: Row groups in the inspected files.
        row_groups_read: Row groups that scans opened, for LIMITs that were pruned.
        row_groups_skipped: Row groups that these scans skipped, because enough rows that they had
            read sort before theirs.
        bytes_total: Length of all files of these scans in bytes, after partition pruning.
        bytes_read: Compressed bytes that these scans read, and bytes that jobs read before them to
            find rows.
        planning_ms: Milliseconds that pruning added to planning, also for queries that did not run.
        planning_failures: Unexpected errors while planning. After each of them, the LIMIT was not
            pruned.
    """

    queries: int
    limits: int
    limits_covered: int
    limits_not_covered: int
    limits_not_pruned: int
    row_groups_total: int
    row_groups_read: int
    row_groups_skipped: int
    bytes_total: int
    bytes_read: int
    planning_ms: int
    planning_failures: int


def history(spark: SparkSession) -> tuple[QueryReport, ...]:
    r"""Return the reports of the last queries with a LIMIT over Parquet that ran, the oldest first.

    All sessions of the application count; with Spark Connect, only this one.
    ``spark.limitPruning.history.maxQueries`` limits the number of reports; it is set when Spark
    starts.

    Args:
        spark: A classic or a Spark Connect session of the application.

    Returns:
        One report for each query; empty if there is none.

    Raises:
        TypeError: `spark` is not a session.
        UnsupportedSparkVersionError: This release does not support the session's Spark version.
        ExtensionNotActiveError: The session was started without the extension.
        JarMismatchError: The session's JAR lacks something that this package needs.

    Examples:
        >>> for query in limit_pruning.history(spark):
        ...     print(query.ended, query.description, query.report, sep="\n")
    """
    require(spark, "history")
    bridge = reports_of(spark)
    with parsed(bridge):
        return tuple(query_of(entry) for entry in json.loads(bridge.history())["queries"])


def totals(spark: SparkSession) -> Totals:
    """Return sums over all queries with a LIMIT over Parquet since the application started.

    Spark's metrics include the same numbers, in the source ``limitPruning`` of the driver.

    Args:
        spark: A classic or a Spark Connect session of the application.

    Returns:
        The sums of all sessions of the application, at the time of the call.

    Raises:
        TypeError: `spark` is not a session.
        UnsupportedSparkVersionError: This release does not support the session's Spark version.
        ExtensionNotActiveError: The session was started without the extension.
        JarMismatchError: The session's JAR lacks something that this package needs.

    Examples:
        >>> limit_pruning.totals(spark).bytes_read
        11534336
    """
    require(spark, "totals")
    bridge = reports_of(spark)
    with parsed(bridge):
        sums = json.loads(bridge.totals())
        return Totals(**{field.name: sums[metric_name(field.name)] for field in fields(Totals)})


def query_of(entry: dict[str, Any]) -> QueryReport:
    """Return the report of a query that has run from the JAR's JSON."""
    started = entry["started"]
    return result_of(
        QueryReport,
        entry,
        started=None if started is None else _time(started),
        ended=_time(entry["ended"]),
        report=report_of(entry),
    )


def _time(millis: int) -> datetime:
    return datetime.fromtimestamp(millis / 1000, timezone.utc)
