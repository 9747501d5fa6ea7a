"""What there is to show of an inspection."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from limit_pruning._display import Grid, View
from limit_pruning._limit_view import limit_view
from limit_pruning._text import human_bytes, human_rows, outcome_lines

if TYPE_CHECKING:
    from limit_pruning._inspection import ColumnLayout, Inspection

_HEADINGS = ("column", "type", "bounds", "nulls", "pages", "dictionary", "bloom", "layout")


def inspection_view(look: Inspection) -> View:
    """Return the query, all row groups, what a LIMIT would read, and how columns are laid out."""
    return replace(
        limit_view(look.limit),
        row_groups=look.row_groups,
        omitted=look.row_groups_omitted,
        notes=(_seen(look), f"LIMIT {look.limit.limit}: {'; '.join(outcome_lines(look.limit))}"),
        grid=Grid(
            _HEADINGS, tuple(_cells(column, look.row_groups_total) for column in look.columns)
        ),
    )


def _seen(look: Inspection) -> str:
    files = f"{look.files_looked_at:,} of {look.files:,} files looked at"
    table = f"{human_rows(look.rows)} in {look.row_groups_total:,} row groups"
    proved = f"{look.rows_proved:,} proved to match"
    return f"{files}: {table}, {human_bytes(look.bytes)}; {proved}"


def _cells(column: ColumnLayout, row_groups: int) -> tuple[str, ...]:
    counts = (
        column.bounds,
        column.null_counts,
        column.page_indexes,
        column.dictionaries,
        column.bloom_filters,
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
