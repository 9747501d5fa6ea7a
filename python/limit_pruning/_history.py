"""What was pruned in the queries of an application, whoever ran them."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from limit_pruning._bridge import ReportBridge
from limit_pruning._parse import parsed
from limit_pruning._report import PruningReport, report_of
from limit_pruning._session import require

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class QueryReport:
    """One query with a LIMIT over Parquet that has run.

    Attributes:
        execution_id: Spark's number of the execution, as its UI shows it.
        description: What the UI calls the query; empty where that is not known.
        started: When it started, in UTC; None where that is not known.
        ended: When it ended, in UTC.
        failed: Whether it ended with an error.
        report: What was pruned, without the single row groups.
    """

    execution_id: int
    description: str
    started: datetime | None
    ended: datetime
    failed: bool
    report: PruningReport


@dataclass(frozen=True, slots=True)
class Totals:
    """What was done for all queries of an application since it started.

    Attributes:
        queries: Queries with a LIMIT over Parquet that have run.
        limits: Such LIMITs in them.
        limits_covered: LIMITs for which less than the table was read, with all rows wanted in it.
        limits_not_covered: LIMITs that were not covered, for which row groups could be left out or
            put first all the same.
        limits_left_to_spark: LIMITs that were left to Spark.
        row_groups_looked_at: Row groups in the footers looked at.
        row_groups_read: Row groups that scans opened for LIMITs that were not left to Spark.
        row_groups_skipped: Row groups that such scans left out, by the rows read before.
        bytes_total: Length of all files of these scans, after partition pruning, in bytes.
        bytes_read: Compressed bytes that they read.
        planning_millis: Time that looking took, in milliseconds, whether or not the query ran.
        planning_failures: Unexpected errors while planning, each of which left a LIMIT to Spark.
    """

    queries: int
    limits: int
    limits_covered: int
    limits_not_covered: int
    limits_left_to_spark: int
    row_groups_looked_at: int
    row_groups_read: int
    row_groups_skipped: int
    bytes_total: int
    bytes_read: int
    planning_millis: int
    planning_failures: int


def history(spark: SparkSession) -> tuple[QueryReport, ...]:
    r"""Return the reports of the last queries that ran in the application, the oldest first.

    It does not matter who ran them and in which session: SQL, notebooks, dashboards, jobs. How many
    are kept is set by ``spark.limitPruning.history.maxQueries`` when Spark starts.

    Args:
        spark: A classic session of the application.

    Raises:
        SparkConnectNotSupportedError: The session is a Spark Connect one.
        UnsupportedSparkVersionError: Spark is not one of the supported lines.
        ExtensionNotActiveError: The session was started without the extension.
        JarMismatchError: The session's JAR is older than this package.

    Examples:
        >>> for query in limit_pruning.history(spark):
        ...     print(query.ended, query.description, query.report, sep="\n")
    """
    require(spark, "history")
    bridge = ReportBridge(spark)
    with parsed(bridge):
        return tuple(_query(entry) for entry in json.loads(bridge.history())["queries"])


def totals(spark: SparkSession) -> Totals:
    """Return what was done for all queries of the application since it started.

    Spark's own metrics show the same numbers, as ``limitPruning`` of the driver.

    Args:
        spark: A classic session of the application.

    Raises:
        SparkConnectNotSupportedError: The session is a Spark Connect one.
        UnsupportedSparkVersionError: Spark is not one of the supported lines.
        ExtensionNotActiveError: The session was started without the extension.
        JarMismatchError: The session's JAR is older than this package.

    Examples:
        >>> limit_pruning.totals(spark).bytes_read
        11534336
    """
    require(spark, "totals")
    bridge = ReportBridge(spark)
    with parsed(bridge):
        counts = json.loads(bridge.totals())
        return Totals(**{field.name: counts[_metric(field.name)] for field in fields(Totals)})


def _query(entry: dict[str, Any]) -> QueryReport:
    started = entry["started"]
    return QueryReport(
        entry["execution_id"],
        entry["description"],
        None if started is None else _time(started),
        _time(entry["ended"]),
        entry["failed"],
        report_of(entry),
    )


def _time(millis: int) -> datetime:
    return datetime.fromtimestamp(millis / 1000, timezone.utc)


def _metric(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
