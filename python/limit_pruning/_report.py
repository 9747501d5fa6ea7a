"""What was pruned in a query, or why not."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from limit_pruning._bridge import ReportBridge
from limit_pruning._connect import connect_error, is_connect
from limit_pruning._display import Exported, Shown, View, row_group_frame
from limit_pruning._limit_view import limit_view
from limit_pruning._parse import parsed
from limit_pruning._row_groups import RowGroupReport
from limit_pruning._session import verify
from limit_pruning._text import limit_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a LIMIT was left to Spark.

    Attributes:
        code: A stable short name, to compare with.
        message: One sentence for people.
    """

    code: str
    message: str


@dataclass(frozen=True, slots=True, repr=False)
class LimitReport(Shown, Exported):
    """One LIMIT over one Parquet scan. A number that is not known, or not known yet, is None.

    Attributes:
        table: Table name, or the path where the scan has no name.
        limit: Rows that the LIMIT needs from the scan (an OFFSET is added); None where it is not
            a constant.
        order_by: The first key of the ORDER BY below the LIMIT, with its direction; None where
            there is none.
        bound: The value of the key, in SQL, that at least `limit` rows are certain to reach; None
            where there is no such value before rows are read.
        rows_certain: Rows that are certain to reach the bound.
        predicate: The WHERE in SQL; None where there is none.
        covered: Whether less than the table is read: the rows chosen are proved to match, and are
            `limit` or all that do; or, with ORDER BY, the first rows are among them.
        reason: Why not, where not covered; None where covered.
        row_groups_total: Row groups in the files looked at.
        row_groups_matched: Those with rows that may match.
        row_groups_fully_matched: Those in which every row is proved to match.
        row_groups_dropped: Matched row groups without a row that reaches the bound.
        row_groups_scanned: Those chosen to be read.
        files_total: Files left by partition pruning.
        files_looked_at: Files whose footers were read while planning.
        footers_kept: Files among them whose footers were known from earlier queries; the others
            were read.
        files_scanned: Files with a chosen row group.
        bytes_total: Length of all files left by partition pruning.
        rows_to_read: Rows chosen to be read.
        row_ranges: Ranges of rows chosen in row groups that are not read whole.
        rows_cut: Rows of the chosen row groups that are not read.
        pages_skipped: Data pages of the chosen row groups, in the columns read, that are not read.
        no_page_skipping: Why row groups are read whole, however few of their rows are wanted; None
            where pages can be skipped.
        bytes_to_read: Compressed bytes of the columns read that hold the chosen rows.
        planning_ms: Milliseconds spent on this LIMIT while planning.
        row_filter_skipped: Whether the scan evaluates no WHERE, as every chosen row matches.
        rows_read: Rows that the scan gave; None until the query has run on this DataFrame.
        row_groups_read: Row groups that the scan opened; None until then.
        row_groups_skipped: Row groups that the scan left out, as the rows that it had read by then
            come before all of theirs; None until then.
        bytes_read: Compressed bytes of the pages that the scan read; None until then.
        row_groups: The row groups looked at, in file order, the first 5,000 of them; empty where
            none were, in a history, and where the driver's memory was needed for something else.
        row_groups_omitted: How many more there are.
    """

    table: str
    limit: int | None
    order_by: str | None
    bound: str | None
    rows_certain: int | None
    predicate: str | None
    covered: bool
    reason: Reason | None
    row_groups_total: int | None
    row_groups_matched: int | None
    row_groups_fully_matched: int | None
    row_groups_dropped: int | None
    row_groups_scanned: int | None
    files_total: int | None
    files_looked_at: int | None
    footers_kept: int | None
    files_scanned: int | None
    bytes_total: int | None
    rows_to_read: int | None
    row_ranges: int | None
    rows_cut: int | None
    pages_skipped: int | None
    no_page_skipping: str | None
    bytes_to_read: int | None
    planning_ms: float | None
    row_filter_skipped: bool
    rows_read: int | None
    row_groups_read: int | None
    row_groups_skipped: int | None
    bytes_read: int | None
    row_groups: tuple[RowGroupReport, ...]
    row_groups_omitted: int

    def __str__(self) -> str:
        """Return the report of this LIMIT as a few lines of text."""
        return limit_text(self)

    def to_pandas(self) -> pd.DataFrame:
        """Return the row groups, as PruningReport.to_pandas does."""
        return row_group_frame([(self.table, self.row_groups)])

    def _views(self) -> tuple[View, ...]:
        return (limit_view(self),)


@dataclass(frozen=True, slots=True, repr=False)
class PruningReport(Shown, Exported):
    """Every LIMIT over Parquet in one query, in the order of the plan.

    A notebook shows it as a map of the row groups, `show` and rich's ``print`` as coloured text.

    Attributes:
        limits: One entry for each LIMIT over a Parquet scan; empty where there is none.
    """

    limits: tuple[LimitReport, ...]

    def __iter__(self) -> Iterator[LimitReport]:
        """Iterate over the LIMITs."""
        return iter(self.limits)

    def __len__(self) -> int:
        """Return the number of LIMITs."""
        return len(self.limits)

    def __str__(self) -> str:
        """Return the text of every LIMIT, or a sentence saying that there is none."""
        if not self.limits:
            return "This query has no LIMIT over a Parquet scan."
        return "\n".join(str(limit) for limit in self.limits)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each row group.

        Returns:
            The columns are `scan` (the place of the LIMIT in `limits`, from 0), `table`, and the
            attributes of RowGroupReport.

        Raises:
            PandasNotInstalledError: There is no pandas.
        """
        return row_group_frame([(limit.table, limit.row_groups) for limit in self.limits])

    def _views(self) -> tuple[View, ...]:
        return tuple(limit_view(limit) for limit in self.limits)

    @property
    def only(self) -> LimitReport:
        """The LIMIT of a query that has exactly one over Parquet.

        Raises:
            ValueError: There is none, or more than one.
        """
        if len(self.limits) != 1:
            raise ValueError(
                f"{len(self.limits)} LIMITs over Parquet in this query, not 1: use `limits`."
            )
        return self.limits[0]


def report(df: DataFrame) -> PruningReport:
    """Say for every LIMIT over Parquet in the DataFrame's query what was pruned, or why not.

    Plans the query if that has not happened yet, and does not run it. After an action on this very
    DataFrame (``df.collect()``, ``df.toPandas()``) the rows and row groups really read are there
    too; ``df.head(n)``, ``df.take(n)`` and ``df.show()`` run queries of their own: report
    ``df.limit(n)`` instead.

    Args:
        df: A classic DataFrame.

    Returns:
        The report; ``str()``, `show()` and notebooks present it to people, `to_dict()`,
        `to_json()` and `to_pandas()` to programs.

    Raises:
        TypeError: `df` is no DataFrame.
        SparkConnectNotSupportedError: `df` belongs to Spark Connect.
        UnsupportedSparkVersionError: Spark is not one of the supported lines.
        ExtensionNotActiveError: The DataFrame's session was started without the extension.
        JarMismatchError: The session's JAR is older than this package.

    Examples:
        >>> print(limit_pruning.report(spark.sql("SELECT * FROM t WHERE s >= 50 LIMIT 3")))
    """
    from pyspark.sql import DataFrame

    if is_connect(df):
        raise connect_error("report", "this DataFrame is a Spark Connect one")
    if not isinstance(df, DataFrame):
        raise TypeError(f"report() takes a pyspark DataFrame, not {type(df).__name__}: {df!r:.80}")
    verify(df.sparkSession)
    bridge = ReportBridge(df.sparkSession)
    with parsed(bridge):
        return report_of(json.loads(bridge.report(df)))


def report_of(entry: dict[str, Any]) -> PruningReport:
    """Return the report of a query that the JAR describes."""
    return PruningReport(tuple(limit_of(limit) for limit in entry["limits"]))


def limit_of(entry: dict[str, Any]) -> LimitReport:
    """Return the report of a LIMIT that the JAR describes."""
    reason = entry["reason"]
    known = {field.name: entry[field.name] for field in fields(LimitReport)}
    known["reason"] = Reason(reason["code"], reason["message"]) if reason else None
    known["row_groups"] = tuple(row_group_of(each) for each in entry["row_groups"])
    return LimitReport(**known)


def row_group_of(entry: dict[str, Any]) -> RowGroupReport:
    """Return what the JAR tells of a row group."""
    known = {field.name: entry[field.name] for field in fields(RowGroupReport)}
    return RowGroupReport(**{**known, "facts": tuple(known["facts"])})
