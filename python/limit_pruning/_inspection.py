"""What an inspection finds: how well a table suits pruning, from its metadata."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from limit_pruning._display import Shown, View, row_group_frame
from limit_pruning._export import Exported
from limit_pruning._inspection_view import inspection_view
from limit_pruning._parse import result_of
from limit_pruning._report import LimitReport, details_of, limit_of
from limit_pruning._row_groups import RowGroupReport

if TYPE_CHECKING:
    import pandas as pd

Clustering = Literal["clustered", "partly clustered", "not clustered"]


@dataclass(frozen=True, slots=True)
class ColumnLayout(Exported):
    """The metadata of one column, and how well the table is clustered by it.

    Attributes:
        name: Name of the column; of a field of a struct, with the names of the structs.
        type: Type in SQL.
        is_partition: Whether it is a partition column, which needs no statistics.
        with_min_max: Row groups with min/max statistics that are trusted.
        with_null_count: Row groups with a null count that is trusted.
        with_page_index: Row groups with statistics of single pages.
        with_dictionary: Row groups with a dictionary of all values.
        with_bloom_filter: Row groups with a bloom filter.
        overlap: Share of the pairs of row groups whose value ranges overlap, from 0 to 1; None
            where fewer than two row groups have a value range.
    """

    name: str
    type: str
    is_partition: bool
    with_min_max: int
    with_null_count: int
    with_page_index: int
    with_dictionary: int
    with_bloom_filter: int
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
        report: The report of a query with this predicate and LIMIT, without single row groups.
        files: Number of files.
        row_groups: Number of row groups, and the single ones.
        rows: Number of rows.
        columns: The columns of the predicate, and after them the others, at most 200.
    """

    report: LimitReport
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
        return row_group_frame([(self.report.table, self.row_groups.details)])


def inspection_of(entry: dict[str, Any]) -> Inspection:
    """Return the result of an inspection from the JAR's JSON."""
    row_groups = entry["row_groups"]
    return result_of(
        Inspection,
        entry,
        report=limit_of(entry["report"]),
        files=result_of(InspectedFiles, entry["files"]),
        row_groups=result_of(InspectedRowGroups, row_groups, details=details_of(row_groups)),
        rows=result_of(InspectedRows, entry["rows"]),
        columns=tuple(result_of(ColumnLayout, each) for each in entry["columns"]),
    )
