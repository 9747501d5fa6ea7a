"""The contents of a display, for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from limit_pruning._row_groups import RowGroupReport, State

STATES: tuple[State, ...] = ("not", "partially", "fully")
STATE_NAMES: dict[State, str] = {
    "not": "not matching",
    "partially": "partially matching",
    "fully": "fully matching",
}


@dataclass(frozen=True, slots=True)
class Grid:
    """A small table: headings, and rows with as many cells; the first two of them are names."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class View:
    """One scan: its query, its row groups, and notes.

    Attributes:
        table: Table name or path.
        clauses: Keywords and the text after them, such as ("WHERE", "s >= 50") and ("LIMIT", "3").
        row_groups: In file order.
        omitted: Further row groups, which are not displayed.
        notes: Sentences; the first one is the summary.
        grid: A table of the columns; None where there is none.
    """

    table: str
    clauses: tuple[tuple[str, str], ...]
    row_groups: Sequence[RowGroupReport]
    omitted: int
    notes: tuple[str, ...]
    grid: Grid | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """The row groups of one state. `size` is in compressed bytes of all columns."""

    state: State
    row_groups: int
    rows: int
    size: int
    scanned: int
    rows_to_read: int


def counts(row_groups: Sequence[RowGroupReport]) -> list[Count]:
    """Return the counts of row groups for each state, in the order not, partially, fully."""
    return [_count(state, [g for g in row_groups if g.state == state]) for state in STATES]


def _count(state: State, members: list[RowGroupReport]) -> Count:
    return Count(
        state=state,
        row_groups=len(members),
        rows=sum(group.rows for group in members),
        size=sum(group.bytes for group in members),
        scanned=sum(group.scanned for group in members),
        rows_to_read=sum(group.rows_to_read for group in members),
    )
