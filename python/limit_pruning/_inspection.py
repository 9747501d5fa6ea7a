"""A look at how a table suits pruning, without running a query."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from limit_pruning._bridge import ReportBridge
from limit_pruning._display import Exported, Shown, View, row_group_frame
from limit_pruning._errors import InspectionError
from limit_pruning._inspection_view import inspection_view
from limit_pruning._parse import parsed
from limit_pruning._report import LimitReport, limit_of, row_group_of
from limit_pruning._session import require
from limit_pruning._source import source

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

    from limit_pruning._row_groups import RowGroupReport

Clustering = Literal["clustered", "partly clustered", "not clustered"]

_FILES_A_STEP = 32


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """How well a table is laid out for predicates on one column.

    Attributes:
        name: Name, with those of the structs around it.
        type: Type in SQL.
        is_partition: Whether its values are those of directories, which need no statistics.
        bounds: Row groups with a smallest and a largest value that are believed.
        null_counts: Row groups of which it is known whether values are null.
        page_indexes: Row groups with statistics of single pages.
        dictionaries: Row groups with a dictionary that holds all values.
        bloom_filters: Row groups with a bloom filter.
        overlap: Share of the pairs of row groups whose ranges overlap, 0 to 1; None where fewer
            than two have a range.
    """

    name: str
    type: str
    is_partition: bool
    bounds: int
    null_counts: int
    page_indexes: int
    dictionaries: int
    bloom_filters: int
    overlap: float | None

    @property
    def clustering(self) -> Clustering | None:
        """The overlap in words: up to a tenth, up to half, or more; None where it is not known."""
        if self.overlap is None:
            return None
        if self.overlap <= 0.1:
            return "clustered"
        return "partly clustered" if self.overlap <= 0.5 else "not clustered"


@dataclass(frozen=True, slots=True, repr=False)
class Inspection(Shown, Exported):
    """What metadata tell of a table, and what a LIMIT over it would read.

    Shows itself as a map of row groups in notebooks, and in colours by `show` and at prompts.

    Attributes:
        limit: What a query with the predicate and the LIMIT would do, without its row groups.
        files: Files left by partition pruning.
        files_looked_at: Files whose footers were read.
        row_groups_total: Row groups in them.
        row_groups_not_matching: Row groups without a row that matches.
        row_groups_partially_matching: Row groups in which some rows match perhaps.
        row_groups_fully_matching: Row groups in which every row matches.
        rows: Rows in all row groups.
        rows_proved: Rows that are proved to match.
        bytes: Compressed bytes of all row groups.
        row_groups: The first 5,000 row groups, in file order.
        row_groups_omitted: How many more there are.
        columns: The predicate's columns, then the others, 200 at most.
    """

    limit: LimitReport
    files: int
    files_looked_at: int
    row_groups_total: int
    row_groups_not_matching: int
    row_groups_partially_matching: int
    row_groups_fully_matching: int
    rows: int
    rows_proved: int
    bytes: int
    row_groups: tuple[RowGroupReport, ...]
    row_groups_omitted: int
    columns: tuple[ColumnLayout, ...]

    def __str__(self) -> str:
        """Return what was found as a few lines of text."""
        view = inspection_view(self)
        query = " ".join((view.table, *(f"{word} {rest}" for word, rest in view.clauses)))
        columns = [" ".join(cells) for cells in view.grid.rows] if view.grid else []
        return "\n  ".join([query, *view.notes, *columns])

    def _views(self) -> tuple[View, ...]:
        return (inspection_view(self),)

    def to_pandas(self) -> pd.DataFrame:
        """Return the row groups as a table of pandas, one row for each.

        Raises:
            PandasNotInstalledError: There is no pandas.
        """
        return row_group_frame([(self.limit.table, self.row_groups)])


def inspect(
    spark: SparkSession,
    path_or_table: str,
    predicate: str | None = None,
    *,
    limit: int = 1,
    max_files: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Inspection:
    """Look at all row groups of a Parquet table for one predicate; no query is run.

    Unlike the planning of a LIMIT it does not stop where looking does not pay: it reads every
    footer, and dictionaries, bloom filters and page indexes as a LIMIT would.

    Args:
        spark: A classic session with the extension.
        path_or_table: Path or URI of files or a folder, or the name of a table or view.
        predicate: What a WHERE would say, in SQL; None for none.
        limit: Rows that the LIMIT would want, at least 1.
        max_files: Most files that are looked at, in path order; None for all.
        progress: Called with the files looked at so far and the files in all.

    Raises:
        InspectionError: There is no such path or table, it is no Parquet that Spark reads, or the
            predicate is wrong or one that is never looked at.
        SparkConnectNotSupportedError: The session is a Spark Connect one.
        UnsupportedSparkVersionError: Spark is not one of the supported lines.
        ExtensionNotActiveError: The session was started without the extension.
        JarMismatchError: The session's JAR is older than this package.

    Examples:
        >>> look = limit_pruning.inspect(spark, "events", "ts >= '2024-03-04'", limit=100)
        >>> look.row_groups_fully_matching
        12
    """
    require(spark, "inspect")
    if limit < 1:
        raise InspectionError(f"The limit is {limit}; it must be at least 1.")
    bridge = ReportBridge(spark)
    with parsed(bridge):
        try:
            return _look(
                bridge, _query(spark, path_or_table, predicate, limit), max_files, progress
            )
        except PySparkException as error:
            raise InspectionError(_first_line(error)) from error
        except Py4JJavaError as error:
            raise InspectionError(_first_line(error.java_exception.getMessage())) from error


def _query(spark: SparkSession, name: str, predicate: str | None, limit: int) -> DataFrame:
    table = source(spark, name)
    return (table if predicate is None else table.where(predicate)).limit(limit)


def _look(
    bridge: ReportBridge,
    query: DataFrame,
    max_files: int | None,
    progress: Callable[[int, int], None] | None,
) -> Inspection:
    look = bridge.inspect(query)
    files = int(look.files())
    wanted = files if max_files is None else min(files, max_files)
    done = 0
    while done < wanted:
        done = int(look.lookAt(min(_FILES_A_STEP, wanted - done)))
        if progress is not None:
            progress(done, wanted)
    return _inspection(json.loads(str(look.result())))


def _inspection(entry: dict[str, Any]) -> Inspection:
    known = {field.name: entry[field.name] for field in fields(Inspection)}
    known["limit"] = limit_of(entry["limit"])
    known["row_groups"] = tuple(row_group_of(each) for each in entry["row_groups"])
    known["columns"] = tuple(
        ColumnLayout(**{field.name: each[field.name] for field in fields(ColumnLayout)})
        for each in entry["columns"]
    )
    return Inspection(**known)


def _first_line(problem: object) -> str:
    lines = str(problem).strip().splitlines()
    return lines[0] if lines else "no reason was given"
