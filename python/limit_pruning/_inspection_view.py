"""The display of an inspection."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from limit_pruning._display import Grid, View
from limit_pruning._limit_view import limit_view
from limit_pruning._text import human_bytes, human_rows, outcome_lines

if TYPE_CHECKING:
    from limit_pruning._inspection import ColumnLayout, Inspection

_HEADINGS = ("column", "type", "min/max", "nulls", "pages", "dictionary", "bloom", "layout")


def inspection_view(inspection: Inspection) -> View:
    """Return the query, all row groups, what a LIMIT would read, and the layout of columns."""
    report, row_groups = inspection.report, inspection.row_groups
    cells = tuple(_cells(column, row_groups.total) for column in inspection.columns)
    return replace(
        limit_view(report),
        row_groups=row_groups.details,
        omitted=row_groups.omitted,
        notes=(_summary(inspection), f"LIMIT {report.limit}: {'; '.join(outcome_lines(report))}"),
        grid=Grid(_HEADINGS, cells),
    )


def _summary(inspection: Inspection) -> str:
    files, row_groups, rows = inspection.files, inspection.row_groups, inspection.rows
    return (
        f"{files.inspected:,} of {files.total:,} files inspected: {human_rows(rows.total)} in "
        f"{row_groups.total:,} row groups, {human_bytes(row_groups.bytes)}; "
        f"{rows.proved:,} proved to match"
    )


def _cells(column: ColumnLayout, row_groups: int) -> tuple[str, ...]:
    counts = (
        column.with_min_max,
        column.with_null_count,
        column.with_page_index,
        column.with_dictionary,
        column.with_bloom_filter,
    )
    return (
        column.name,
        column.type,
        *(_share(count, row_groups) for count in counts),
        _layout(column),
    )


def _share(count: int, row_groups: int) -> str:
    if count == 0:
        return "-"
    return "all" if count == row_groups else f"{count:,} of {row_groups:,}"


def _layout(column: ColumnLayout) -> str:
    if column.is_partition:
        return "partition"
    if column.overlap is None or column.clustering is None:
        return "-"
    return f"{column.clustering} ({column.overlap:.0%} overlap)"
