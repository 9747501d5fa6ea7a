"""How well a table suits pruning, from its metadata."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from limit_pruning._bridge import ReportBridge
from limit_pruning._display import Shown, View, row_group_frame
from limit_pruning._errors import InspectionError
from limit_pruning._export import Exported
from limit_pruning._inspection_view import inspection_view
from limit_pruning._parse import parsed, result_of
from limit_pruning._report import LimitReport, details_of, limit_of
from limit_pruning._row_groups import RowGroupReport
from limit_pruning._session import require
from limit_pruning._source import query

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    import pandas as pd
    from pyspark.sql import Column, DataFrame, SparkSession

Clustering = Literal["clustered", "partly clustered", "not clustered"]

_FILES_A_STEP = 32
_LARGEST = 2**31 - 1  # as Spark counts rows of a LIMIT


@dataclass(frozen=True, slots=True)
class ColumnLayout(Exported):
    """The metadata of one column, and how well the table is clustered by it.

    Attributes:
        name: Name of the column; of a field of a struct, with the names of the structs.
        type: Type in SQL.
        is_partition: Whether it is a partition column, which needs no statistics.
        min_max: Row groups with min/max statistics that are trusted.
        null_counts: Row groups with a null count that is trusted.
        page_indexes: Row groups with statistics of single pages.
        dictionaries: Row groups with a dictionary of all values.
        bloom_filters: Row groups with a bloom filter.
        overlap: Share of the pairs of row groups whose value ranges overlap, from 0 to 1; None
            where fewer than two row groups have a value range.
    """

    name: str
    type: str
    is_partition: bool
    min_max: int
    null_counts: int
    page_indexes: int
    dictionaries: int
    bloom_filters: int
    overlap: float | None

    @property
    def clustering(self) -> Clustering | None:
        """The overlap as a word: "clustered" up to 0.1, "partly clustered" up to 0.5; or None."""
        if self.overlap is None:
            return None
        if self.overlap <= 0.1:
            return "clustered"
        return "partly clustered" if self.overlap <= 0.5 else "not clustered"


@dataclass(frozen=True, slots=True)
class InspectedFiles(Exported):
    """Files of an inspected table.

    Attributes:
        total: Files that partition pruning leaves.
        inspected: Files whose footers were read.
    """

    total: int
    inspected: int


@dataclass(frozen=True, slots=True)
class InspectedRowGroups(Exported):
    """Row groups of an inspected table.

    Attributes:
        total: Row groups in the inspected files.
        matched: Row groups that may contain a matching row.
        fully_matched: Row groups in which every row is proved to match.
        bytes: Compressed bytes of all of them.
        details: The row groups in file order, at most 5,000.
        omitted: Row groups after the first 5,000.
    """

    total: int
    matched: int
    fully_matched: int
    bytes: int
    details: tuple[RowGroupReport, ...] = field(repr=False)
    omitted: int


@dataclass(frozen=True, slots=True)
class InspectedRows(Exported):
    """Rows of an inspected table.

    Attributes:
        total: Rows in the inspected files.
        proved: Rows that are proved to match.
    """

    total: int
    proved: int


@dataclass(frozen=True, slots=True, repr=False)
class Inspection(Shown, Exported):
    """What the metadata of a table prove for one predicate, and what a LIMIT would read.

    A notebook shows a map of the row groups; `show` and rich's ``print`` show coloured text.

    Attributes:
        limit: The report of a query with this predicate and LIMIT, without single row groups.
        files: Number of files.
        row_groups: Number of row groups, and the single ones.
        rows: Number of rows.
        columns: The columns of the predicate, and after them the others, at most 200.
    """

    limit: LimitReport
    files: InspectedFiles
    row_groups: InspectedRowGroups
    rows: InspectedRows
    columns: tuple[ColumnLayout, ...]

    def __str__(self) -> str:
        """Return the result as a few lines of text."""
        view = inspection_view(self)
        query = " ".join((view.table, *(f"{word} {rest}" for word, rest in view.clauses)))
        columns = [" ".join(cells) for cells in view.grid.rows] if view.grid else []
        return "\n  ".join([query, *view.notes, *columns])

    def _views(self) -> tuple[View, ...]:
        return (inspection_view(self),)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each row group in ``row_groups.details``.

        Returns:
            The columns of PruningReport.to_pandas.

        Raises:
            PandasNotInstalledError: pandas is not installed.
        """
        return row_group_frame([(self.limit.table, self.row_groups.details)])


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
        spark: A classic session with the extension.
        table: Path or URI of files or a folder, name of a table or view, or a classic DataFrame of
            this session. The DataFrame has filters and projections over one Parquet table.
        predicate: The predicate, in SQL or as a classic Column; None for all rows. The filters of a
            DataFrame apply, too.
        limit: Rows of the LIMIT, at least 1.
        max_files: The most files to inspect, in path order; None for all.
        progress: Called with the number of files inspected so far and of files to inspect.

    Raises:
        TypeError: `table` or `predicate` has another type.
        InspectionError: The path or table does not exist or is not Parquet, the predicate is wrong,
            or the query is one that is never pruned, such as a join or a random predicate.
        SparkConnectNotSupportedError: The session, `table` or `predicate` belongs to Spark Connect.
        UnsupportedSparkVersionError: This release does not support the session's Spark version.
        ExtensionNotActiveError: The session was started without the extension.
        JarMismatchError: The session's JAR is older than this package.

    Examples:
        >>> found = limit_pruning.inspect(spark, "events", "ts >= '2024-03-04'", limit=100)
        >>> found.row_groups.fully_matched
        12
        >>> found = limit_pruning.inspect(spark, spark.table("events").where("user = 'a'"))
    """
    require(spark, "inspect")
    for name, count in (("limit", limit), ("max_files", max_files)):
        if count is not None and not _is_count(count):
            raise InspectionError(f"{name} is {count!r}; it must be an int from 1 to {_LARGEST}.")
    bridge = ReportBridge(spark)
    with _errors_of(bridge):
        inspection = bridge.inspect(query(spark, table, predicate, limit))
        files = int(inspection.files())
    target = files if max_files is None else min(files, max_files)
    done = 0
    while done < target:
        with _errors_of(bridge):
            done = int(inspection.lookAt(min(_FILES_A_STEP, target - done)))
        if progress is not None:
            progress(done, target)
    with _errors_of(bridge):
        return inspection_of(json.loads(str(inspection.result())))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _LARGEST


@contextmanager
def _errors_of(bridge: ReportBridge) -> Iterator[None]:
    """Raise what the JVM reports as an error of this package."""
    with parsed(bridge):
        try:
            yield
        except PySparkException as error:
            raise InspectionError(_first_line(error)) from error
        except Py4JJavaError as error:
            cause = error.java_exception
            problem = cause.getMessage() or cause.getClass().getName()
            raise InspectionError(_first_line(problem)) from error


def inspection_of(entry: dict[str, Any]) -> Inspection:
    """Return the result of an inspection from the JAR's JSON."""
    row_groups = entry["row_groups"]
    return result_of(
        Inspection,
        entry,
        limit=limit_of(entry["limit"]),
        files=result_of(InspectedFiles, entry["files"]),
        row_groups=result_of(InspectedRowGroups, row_groups, details=details_of(row_groups)),
        rows=result_of(InspectedRows, entry["rows"]),
        columns=tuple(result_of(ColumnLayout, each) for each in entry["columns"]),
    )


def _first_line(problem: object) -> str:
    lines = str(problem).strip().splitlines()
    return lines[0] if lines else "no reason was given"
