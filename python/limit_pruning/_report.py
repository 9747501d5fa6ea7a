"""What was pruned in a query, or why not."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from limit_pruning._connect import is_connect_frame
from limit_pruning._counts import (
    ByteCounts,
    FileCounts,
    PageCounts,
    RowCounts,
    RowGroupCounts,
    Timings,
)
from limit_pruning._display import Shown, View, row_group_frame
from limit_pruning._export import Exported
from limit_pruning._limit_view import limit_view
from limit_pruning._parse import parsed, result_of
from limit_pruning._pyspark import pyspark_version
from limit_pruning._row_groups import RowGroupReport
from limit_pruning._session import reports_of, verify
from limit_pruning._text import limit_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Reason(Exported):
    """Why a LIMIT is not covered.

    Attributes:
        code: A stable short name, for programs.
        message: One sentence.
    """

    code: str
    message: str


@dataclass(frozen=True, slots=True, repr=False)
class LimitReport(Shown, Exported):
    """One LIMIT over one Parquet scan.

    Attributes:
        table: Name of the table, or its path where it has no name; empty where the table is read
            through data source V2.
        limit: Rows that the LIMIT needs from the scan, with an OFFSET added; None where it is not a
            constant.
        predicate: The WHERE in SQL; None where there is none.
        order_by: The first key of the ORDER BY below the LIMIT, with its direction, in SQL; of
            several MIN and MAX, the key of each. None where there is none.
        threshold: A value of this key in SQL: at least `limit` rows are certain to reach it. None
            where there is no ORDER BY, or no such value before rows are read.
        covered: Without an ORDER BY: whether all selected rows are proved to match, and are enough
            or all that match. With an ORDER BY: whether the first rows are proved to be among
            the selected rows, of which others may not match.
        reason: Why the LIMIT is not covered; None where it is.
        row_filter_skipped: Whether the scan skips the WHERE, because every selected row matches.
        files: Number of files.
        row_groups: Number of row groups, and the single ones.
        pages: Number of data pages.
        rows: Number of rows.
        bytes: Number of bytes.
        time: Time spent.
    """

    table: str
    limit: int | None
    predicate: str | None
    order_by: str | None
    threshold: str | None
    covered: bool
    reason: Reason | None
    row_filter_skipped: bool
    files: FileCounts
    row_groups: RowGroupCounts
    pages: PageCounts
    rows: RowCounts
    bytes: ByteCounts
    time: Timings

    def __str__(self) -> str:
        """Return the report of this LIMIT as a few lines of text."""
        return limit_text(self)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each row group in ``row_groups.details``.

        Returns:
            The columns of PruningReport.to_pandas.

        Raises:
            PandasNotInstalledError: pandas is not installed.
        """
        return row_group_frame([(self.table, self.row_groups.details)])

    def _views(self) -> tuple[View, ...]:
        return (limit_view(self),)


@dataclass(frozen=True, slots=True, repr=False)
class PruningReport(Shown, Exported):
    """All LIMITs over Parquet of one query, in the order of its plan.

    A notebook shows a map of the row groups; `show` and rich's ``print`` show coloured text.

    Attributes:
        limits: One report for each LIMIT over a Parquet scan; empty where there is none.
    """

    limits: tuple[LimitReport, ...]

    def __iter__(self) -> Iterator[LimitReport]:
        """Iterate over the LIMITs."""
        return iter(self.limits)

    def __len__(self) -> int:
        """Return the number of LIMITs."""
        return len(self.limits)

    def __str__(self) -> str:
        """Return the text of every LIMIT, or a sentence where there is none."""
        if not self.limits:
            return "This query has no LIMIT over a Parquet scan."
        return "\n".join(str(limit) for limit in self.limits)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each row group of each LIMIT.

        Returns:
            The columns are `scan` (the position of the LIMIT in `limits`, from 0), `table`, and the
            attributes of RowGroupReport.

        Raises:
            PandasNotInstalledError: pandas is not installed.
        """
        return row_group_frame([(limit.table, limit.row_groups.details) for limit in self.limits])

    def _views(self) -> tuple[View, ...]:
        return tuple(limit_view(limit) for limit in self.limits)

    @property
    def only(self) -> LimitReport:
        """The LIMIT of a query that has exactly one over Parquet.

        Raises:
            ValueError: The query has none, or more than one.
        """
        if len(self.limits) != 1:
            raise ValueError(
                f"{len(self.limits)} LIMITs over Parquet in this query, not 1: use `limits`."
            )
        return self.limits[0]


def report(df: DataFrame) -> PruningReport:
    """Report for every LIMIT over Parquet in a query what was pruned, or why not.

    The query is planned if necessary, and not run. After an action on the same DataFrame
    (``df.collect()``, ``df.toPandas()``), the report includes what was read. ``df.head(n)``,
    ``df.take(n)`` and ``df.show()`` run queries of their own: report ``df.limit(n)`` instead.

    Args:
        df: A DataFrame, classic or of Spark Connect. A Spark Connect server plans the query again
            for the report, so the report does not include what an action has read; `history` does.

    Returns:
        The report. ``str()``, `show()` and notebooks display it; `to_dict()`, `to_json()` and
        `to_pandas()` export it.

    Raises:
        TypeError: `df` is not a DataFrame.
        UnsupportedSparkVersionError: This release does not support the session's Spark version.
        ExtensionNotActiveError: The session was started without the extension.
        JarMismatchError: The session's JAR lacks something that this package needs.

    Examples:
        >>> print(limit_pruning.report(spark.sql("SELECT * FROM t WHERE s >= 50 LIMIT 3")))
    """
    pyspark_version()  # raises where there is none
    from pyspark.sql import DataFrame

    if not (isinstance(df, DataFrame) or is_connect_frame(df)):
        raise TypeError(f"report() takes a pyspark DataFrame, not {type(df).__name__}: {df!r:.80}")
    verify(df.sparkSession)
    bridge = reports_of(df.sparkSession)
    with parsed(bridge):
        return report_of(json.loads(bridge.report(df)))


def report_of(entry: dict[str, Any]) -> PruningReport:
    """Return the report of a query from the JAR's JSON."""
    return PruningReport(tuple(limit_of(limit) for limit in entry["limits"]))


def limit_of(entry: dict[str, Any]) -> LimitReport:
    """Return the report of a LIMIT from the JAR's JSON."""
    reason, row_groups = entry["reason"], entry["row_groups"]
    return result_of(
        LimitReport,
        entry,
        reason=result_of(Reason, reason) if reason else None,
        files=files_of(entry["files"]),
        row_groups=result_of(RowGroupCounts, row_groups, details=details_of(row_groups)),
        pages=result_of(PageCounts, entry["pages"]),
        rows=result_of(RowCounts, entry["rows"]),
        bytes=result_of(ByteCounts, entry["bytes"]),
        time=result_of(Timings, entry["time"]),
    )


def files_of(entry: dict[str, Any]) -> FileCounts:
    """Return the numbers of files from the JAR's JSON."""
    files = result_of(FileCounts, entry)
    return replace(files, chosen=tuple(files.chosen))


def details_of(entry: dict[str, Any]) -> tuple[RowGroupReport, ...]:
    """Return the single row groups from the JAR's JSON."""
    return tuple(
        result_of(RowGroupReport, each, facts=tuple(each["facts"])) for each in entry["details"]
    )
